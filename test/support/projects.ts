import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ALL_LINES } from '../../scripts/rings/rings.ts';
import { installOnce, npm, projectRoot } from './cache.ts';

const projects = path.join(projectRoot, 'test', 'fixtures', 'projects');

/** The supported lines of LangGraph: the oldest, one between, the newest. */
export const supportedLines = ['langgraph-1.1', 'langgraph-1.4', 'langgraph-1.7'] as const;
export type LangGraphLine = (typeof supportedLines)[number];
export const langgraphLines: readonly LangGraphLine[] = linesToTest(supportedLines);

/** `npm test` tests the oldest and the newest line; `npm run test:all` and a ring by itself test all of them. */
export function linesToTest<Line>(all: readonly Line[]): readonly Line[] {
  const isWhole = process.env[ALL_LINES] !== undefined;
  return isWhole ? all : all.filter((_, index) => index === 0 || index === all.length - 1);
}

const configSchema = z.object({
  graphs: z.record(
    z.string(),
    z.union([z.string(), z.object({ path: z.string(), description: z.string().optional() })]),
  ),
});

export interface GraphProject {
  /** Absolute; holds `langgraph.json`, the graphs, `package.json` and `node_modules`. */
  readonly folder: string;
  /** The graphs of its `langgraph.json`. */
  readonly graphs: Record<string, { path: string; description?: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface GraphProjectOptions {
  readonly line: LangGraphLine;
  /** Files to write over or beside the fixture's, by path in the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the project has only `files` and `package.json`, without the fixture's graphs. */
  readonly empty?: boolean;
}

/**
 * A copy of the fixture graphs in a temporary folder outside this repository, with its own dependencies, so
 * that no import resolves to this repository's `node_modules`. The dependencies are installed once, from
 * their lockfile.
 */
export async function graphProject({
  line,
  files = {},
  empty = false,
}: GraphProjectOptions): Promise<GraphProject> {
  const installed = await installLine(line);
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-project-'));
  if (!empty) await cp(path.join(projects, 'graphs'), folder, { recursive: true });
  await cp(path.join(installed, 'package.json'), path.join(folder, 'package.json'));
  await symlink(path.join(installed, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return {
    folder,
    graphs: await readGraphs(path.join(folder, 'langgraph.json')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Installs a line's dependencies outside the repository and returns the folder that holds `node_modules`. */
export async function installLine(line: LangGraphLine): Promise<string> {
  const source = path.join(projects, line);
  const lock = await readFile(path.join(source, 'package-lock.json'), 'utf8');
  const { folder } = await installOnce(
    {
      name: line,
      versions: { lock },
      install: async (target) => {
        await cp(source, target, { recursive: true });
        await npm(['ci'], target);
        return {};
      },
    },
    path.join(tmpdir(), 'agent-harbor-test-projects'),
  );
  return folder;
}

export async function readGraphs(file: string): Promise<GraphProject['graphs']> {
  const text = await readFile(file, 'utf8').catch(() => '{"graphs":{}}');
  const { graphs } = configSchema.parse(JSON.parse(text));
  return Object.fromEntries(
    Object.entries(graphs).map(([id, graph]) => {
      if (typeof graph === 'string') return [id, { path: graph }];
      const { path: place, description } = graph;
      return [id, { path: place, ...(description === undefined ? {} : { description }) }];
    }),
  );
}
