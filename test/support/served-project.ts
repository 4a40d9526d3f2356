import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { DataFolder } from '../../src/server/data-folder.ts';
import { makeLogger } from '../../src/server/logger.ts';
import { Server } from '../../src/server/server.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { type GraphProject, type GraphProjectOptions, graphProject } from './projects.ts';
import { nodeRuntime, pythonRuntime } from './runtime/node-bundle.ts';
import { serverBundles } from './server-bundles.ts';
import { serverOptions } from './server-options.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { eventually, FinalFailure } from './wait.ts';

/** A real server in this process, serving a fixture project from its own data folder. */
export interface ServedProject extends AsyncDisposable {
  /** The address of the project's agent server. */
  readonly url: string;
  readonly platformUrl: string;
  readonly apiKey: string;
  readonly dataDir: string;
  readonly project: GraphProject;
  readonly server: Server;
  /** The lines of the deployment's log. */
  log(): Promise<string[]>;
}

/** The programs that a server in tests starts. */
export async function serverPrograms(): Promise<ServerOptions['programs']> {
  return { ...(await serverBundles()), nodeRuntime: await nodeRuntime(), pythonRuntime };
}

export interface ServeOptions extends Partial<GraphProjectOptions> {
  readonly concurrency?: number;
  readonly runTimeLimitMs?: number;
  readonly dataDir?: string;
  /** The URL of a PostgreSQL database. */
  readonly database?: string | undefined;
  /** An existing project, to be removed with the server. */
  readonly given?: GraphProject;
  /** Additions to the fixture's langgraph.json. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** `await using served = await serveProject()`. */
export async function serveProject(options: ServeOptions = {}): Promise<ServedProject> {
  const {
    concurrency = 10,
    runTimeLimitMs = 3_600_000,
    dataDir,
    database,
    config = {},
    given,
    ...project
  } = options;
  await using cleanup = new AsyncDisposableStack();
  const made = cleanup.use(given ?? (await graphProject({ line: 'langgraph-1.7', ...project })));
  await configure(made.folder, config);
  const data = dataDir ?? cleanup.use(await temporaryFolder()).path;
  const server = await Server.start({
    ...serverOptions,
    database,
    programs: await serverPrograms(),
    folder: await DataFolder.open(data),
    logger: makeLogger({ level: process.env.TEST_LOG ?? 'silent' }),
    runs: { concurrency, timeLimitMs: runTimeLimitMs, continueAfterCrash: true },
  });
  cleanup.defer(() => server.stop());
  const call = async (route: string, body?: object) => {
    const response = await fetch(`${server.baseUrl}${route}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': server.apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{
      deployment_id: string;
      deployment_url: string;
      runtime: { state: string; message?: string };
    }>;
  };
  const opened = await call('/harbor/workspaces', {
    config_path: path.join(made.folder, 'langgraph.json'),
    port: 0,
  });
  await eventually(
    'the graphs are loaded',
    async () => {
      const { runtime } = await call(`/harbor/workspaces/${opened.deployment_id}`);
      if (runtime.state === 'failed') throw new FinalFailure(runtime.message);
      return runtime.state === 'ready';
    },
    Boolean,
    60_000,
  );
  const kept = cleanup.move();
  return {
    url: opened.deployment_url,
    platformUrl: server.baseUrl,
    apiKey: server.apiKey,
    dataDir: data,
    project: made,
    server,
    log: () => logLines(server, opened.deployment_id),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Adds to a project's langgraph.json; every path in it must name an export. */
export async function configure(folder: string, more: Readonly<Record<string, unknown>>): Promise<void> {
  const file = path.join(folder, 'langgraph.json');
  const config = Config.parse(JSON.parse(await readFile(file, 'utf8')));
  const graphs = Object.entries(config.graphs).filter(([name]) => name !== 'default_export');
  await writeFile(file, JSON.stringify({ ...config, graphs: Object.fromEntries(graphs), ...more }));
}

const Config = z.looseObject({ graphs: z.record(z.string(), z.unknown()) });

async function logLines(server: Server, deploymentId: string): Promise<string[]> {
  const response = await fetch(`${server.baseUrl}/harbor/deployments/${deploymentId}/log?follow=false`, {
    headers: { 'x-api-key': server.apiKey },
  });
  return [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data]) => (JSON.parse(data ?? '{}') as { message: string }).message,
  );
}
