import { readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import {
  type FailedExtra,
  type InitializeParams,
  type InitializeResult,
  PROTOCOL_VERSION,
} from '../protocol/protocol.ts';
import { describeError } from './errors/runtime-error.ts';
import type { CustomApp } from './extras/custom-app.ts';
import type { CustomAuth } from './extras/custom-auth.ts';
import type { GraphRegistry } from './graphs/graph-registry.ts';
import type { UserLangGraphs } from './langgraph/user-langgraph.ts';
import { isRecord } from './langgraph-types.ts';
import { parseGraphPath } from './loading/load-graph.ts';
import { loadTypeScript } from './typescript/typescript-loader.ts';

/** The parts of a project that are loaded when its process starts. */
export interface Loaded {
  readonly graphs: GraphRegistry;
  readonly langgraphs: UserLangGraphs;
  readonly app: CustomApp;
  readonly auth: CustomAuth;
}

/** Loads the graphs of a project, and everything else that every request needs. */
export async function initialize(
  params: InitializeParams,
  { graphs, langgraphs, app, auth }: Loaded,
): Promise<InitializeResult> {
  const files = Object.values(params.graphs).map(
    (source) => parseGraphPath(params.project_dir, source.path).file,
  );
  Object.assign(process.env, params.environment);
  await preload(params.project_dir, langgraphs);
  mapStacks();
  const loader = await loadTypeScript(params.project_dir, files);
  return {
    protocol_version: PROTOCOL_VERSION,
    language: 'node',
    language_version: process.versions.node,
    langgraph_version: versionFor(
      [params.project_dir, ...files.map((file) => path.dirname(file))],
      langgraphs,
    ),
    loader,
    graphs: await graphs.load(params),
    ...(await loadExtras(params, app, auth)),
  };
}

/**
 * The version of LangGraph. In a repository with several projects, packages may be installed only in the
 * graphs' own folders.
 */
function versionFor(folders: readonly string[], langgraphs: UserLangGraphs): string {
  for (const folder of folders) {
    const version = langgraphs.version(folder);
    if (version !== undefined) return version;
  }
  return 'not installed';
}

/** Loads extras now, so that failures are reported immediately and not on first use. */
async function loadExtras({ extras = {} }: InitializeParams, app: CustomApp, auth: CustomAuth) {
  const failed: FailedExtra[] = [];
  const attempt = async <Result>(name: FailedExtra['name'], load: () => Promise<Result>) => {
    if (extras[name] === undefined) return undefined;
    return load().catch((error: unknown) => void failed.push({ name, error: describeError(error) }));
  };
  await attempt('auth', () => auth.load());
  const http_app = await attempt('http_app', () => app.describe());
  return {
    ...(failed.length === 0 ? {} : { failed_extras: failed }),
    ...(http_app === undefined ? {} : { http_app }),
  };
}

/**
 * Loads the LangGraph that the project's modules will import, if they are ES modules. Before a loader adds
 * its hooks, which see every import, LangGraph's modules load in half the time.
 */
export async function preload(projectDir: string, langgraphs: UserLangGraphs): Promise<void> {
  // If LangGraph does not load, the import of the graphs reports the reason.
  if (areModules(projectDir)) await langgraphs.preload(projectDir).catch(() => {});
}

/**
 * Makes stacks name the sources of the user's modules. Those of packages are left out if Node can do this,
 * because LangGraph's source maps take longer to load than its code.
 */
function mapStacks(): void {
  if ('setSourceMapsSupport' in module) module.setSourceMapsSupport(true, { nodeModules: false });
  else process.setSourceMapsEnabled(true);
}

/** Whether the project's own files are ES modules, and so import LangGraph's. */
function areModules(projectDir: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(projectDir, 'package.json'), 'utf8'));
    return isRecord(manifest) && manifest.type === 'module';
  } catch {
    // Without a readable package.json, Node takes the files for CommonJS.
    return false;
  }
}
