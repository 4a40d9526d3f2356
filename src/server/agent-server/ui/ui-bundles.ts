import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ifReadable } from '../../../process/if-present.ts';
import { mergeEnvironments } from '../../../process/merge-environments.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import { HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { findNode } from '../../runtimes/node/node-executable.ts';
import { asGraphUser, commandAsGraphUser } from '../../runtimes/process/graph-user.ts';
import { untargetedEnvironment } from '../../runtimes/process/runtime-environment.ts';
import type { Project } from '../../runtimes/project/project.ts';
import { readBuiltBundle } from './built-bundle.ts';
import { BUNDLER_PACKAGE, BUNDLER_PROGRAM, bundlerVariables, missingBundlerSentence } from './ui-bundler.ts';

const run = promisify(execFile);

/** The time limit of the bundler. */
const TIME_LIMIT_MS = 120_000;

/** The bundle of an agent's components, by file name. */
export type UiBundle = ReadonlyMap<string, Buffer>;

interface CachedBundle {
  /** Identifies the state of the components' folder from which the bundle was built. */
  readonly stamp: string;
  readonly bundle: Promise<UiBundle>;
}

/**
 * Bundles the components in `ui` of langgraph.json with the project's own bundler, in a separate process, on first
 * use and after changes. Components of an isolated project were bundled by its build.
 */
export class UiBundles {
  readonly #runtime: Pick<DeploymentRuntime, 'inherited'>;
  /** The newest bundles, by agent. */
  readonly #bundles = new Map<string, CachedBundle>();

  /** @param runtime the runtime whose graphs have the same environment as the bundler. */
  constructor(runtime: Pick<DeploymentRuntime, 'inherited'>) {
    this.#runtime = runtime;
  }

  /** The newest bundle, without building one; undefined if there is none. */
  async findCurrent(agent: string): Promise<UiBundle | undefined> {
    // The request that started the bundling has got the error.
    return this.#bundles.get(agent)?.bundle.catch(() => undefined);
  }

  /**
   * The bundle of an agent's components, which is built if they have changed.
   * @throws HttpError 404 if langgraph.json has no components for the agent, 500 if bundling fails.
   */
  async bundle(project: Project, agent: string): Promise<UiBundle> {
    const { ui = {} } = project.config;
    const place = Object.hasOwn(ui, agent) ? ui[agent] : undefined;
    if (place === undefined)
      throw new HttpError(404, `'ui' of langgraph.json has no components for '${agent}'.`);
    const stamp = project.isIsolated
      ? project.configPath
      : await readStamp(path.dirname(path.resolve(project.dir, place)));
    const known = this.#bundles.get(agent);
    if (known?.stamp === stamp) return known.bundle;
    const bundle = project.isIsolated
      ? readFromBuild(project, agent)
      : build(project, { agent, place, inherited: this.#runtime.inherited });
    this.#bundles.set(agent, { stamp, bundle });
    // Failures are not cached, because a missing package may be installed later.
    bundle.catch(() => this.#bundles.delete(agent));
    return bundle;
  }
}

/** Reads the bundle of an isolated project. @throws HttpError 500 */
async function readFromBuild({ dir }: Project, agent: string): Promise<UiBundle> {
  const bundle = await readBuiltBundle(dir, agent);
  if (bundle !== undefined) return bundle;
  throw new HttpError(
    500,
    `The components of '${agent}' are not in the build that is served. See the log of the build for the reason, then deploy again.`,
  );
}

/** Bundles an agent's components with the project's bundler. @throws HttpError 500 with the bundler's error. */
async function build(
  project: Project,
  options: { agent: string; place: string; inherited: NodeJS.ProcessEnv },
): Promise<UiBundle> {
  const { agent, place, inherited } = options;
  const bundler = await findBundler(project.dir);
  const env = untargetedEnvironment(project, inherited);
  const node = await findNode(searchPathOf(env));
  const output = await mkdtemp(path.join(tmpdir(), 'agent-harbor-ui-'));
  try {
    // The bundler belongs to the project, so it runs as the graphs' user.
    if (asGraphUser().length > 0) await chmod(output, 0o777);
    await run(...commandAsGraphUser(node.file, [bundler, 'build', '--output', output]), {
      cwd: project.dir,
      env: mergeEnvironments([env, node.env, bundlerVariables(project, agent, place)]),
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    }).catch((error: unknown) => {
      throw new HttpError(
        500,
        `Could not bundle the components of '${agent}' (${place}): ${reasonOf(error)}`,
      );
    });
    const folder = path.join(output, 'public', agent);
    const names = await readdir(folder);
    const files = names.map(async (name) => [name, await readFile(path.join(folder, name))] as const);
    return new Map(await Promise.all(files));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

const Manifest = z.looseObject({ bin: z.record(z.string(), z.string()) });

/**
 * Finds the bundler in `node_modules`, like Node. Node itself would cache a failed lookup, and then miss a later
 * installation.
 * @throws HttpError 500 if the project has no bundler.
 */
async function findBundler(dir: string): Promise<string> {
  for (let folder = dir; ; folder = path.dirname(folder)) {
    const installed = path.join(folder, 'node_modules', BUNDLER_PACKAGE);
    const manifest = await ifReadable(readFile(path.join(installed, 'package.json'), 'utf8'));
    const bin =
      manifest === undefined ? undefined : Manifest.parse(JSON.parse(manifest)).bin[BUNDLER_PROGRAM];
    if (bin !== undefined) return path.join(installed, bin);
    if (path.dirname(folder) === folder) break;
  }
  throw new HttpError(500, missingBundlerSentence(dir));
}

/** A text that changes when a file in the components' folder is saved. */
async function readStamp(folder: string): Promise<string> {
  const entries = (await ifReadable(readdir(folder, { withFileTypes: true }))) ?? [];
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(folder, name));
  const stamps = files.toSorted().map(async (file) => {
    // The file may have been deleted since.
    const found = await ifReadable(stat(file));
    return `${file} ${found?.mtimeMs ?? 0}`;
  });
  return (await Promise.all(stamps)).join('\n');
}

/** The bundler's error message, without its stack. */
function reasonOf(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  const [message = ''] = stderr.split(/\n\S+\.js:\d+\n/, 1);
  return (message === '' ? String(error) : message.trim()).slice(0, 1000);
}
