import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { Client } from '../../../src/client/client.ts';
import { localConnection } from '../../../src/client/connection.ts';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { bundle } from '../dist.ts';
import { endProcessTree, isAlive, type Marker, processTree } from '../process-tree.ts';
import { eventually, FinalFailure } from '../wait.ts';

const ServerFile = z.object({ base_url: z.string(), api_key: z.string(), pid: z.int() });

export interface ServerProcess extends AsyncDisposable {
  readonly dataDir: string;
  readonly pid: number;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly client: Client;
  /** Everything the servers of this folder have printed. */
  log(): Promise<string>;
  /** A request with the server's key. */
  fetch(route: string, init?: Omit<RequestInit, 'body'> & { body?: unknown }): Promise<Response>;
  /** Kills it, as in a crash, and waits until it has ended. */
  kill(): Promise<void>;
  /** Tells it to stop, and waits until it has ended. */
  stop(): Promise<void>;
  /** Starts a server on the same folder. @param more arguments, for this one alone. */
  start(more?: readonly string[]): Promise<void>;
  /** Running processes that any server of this folder has started, without the server itself. */
  children(): number[];
}

export interface ServerProcessOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** An existing folder, instead of a new one; it is removed at the end. */
  readonly dataDir?: string;
}

/** The real server, as built, on its own data folder: `await using server = await serverProcess()`. */
export async function serverProcess(options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'agent-harbor-server-')));
  const marker: Marker = { name: 'XDG_DATA_HOME', value: path.join(dataDir, randomUUID()) };
  const logFile = `${dataDir}.log`;
  const dispatcher = createDispatcher({});
  let running = { base_url: '', api_key: '', pid: 0 };
  let client: Client | undefined;

  async function announced(): Promise<z.output<typeof ServerFile>> {
    return ServerFile.parse(JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8')));
  }

  async function start(more: readonly string[] = []): Promise<void> {
    const log = createWriteStream(logFile, { flags: 'a' });
    await new Promise((resolve) => log.once('open', resolve));
    const child = spawn(
      process.execPath,
      [bundle('server.js'), '--data-dir', dataDir, ...(options.args ?? []), ...more],
      {
        stdio: ['ignore', log, log],
        // The marker is a variable that reaches builds and runtimes, so that all processes that they leave
        // behind are found.
        env: { ...process.env, ...options.env, [marker.name]: marker.value },
      },
    );
    log.close();
    running = await eventually(
      'the server has announced itself',
      async () => {
        if (child.exitCode !== null) throw new FinalFailure(`it ended: ${await readFile(logFile, 'utf8')}`);
        const file = await announced();
        return file.pid === child.pid ? file : undefined;
      },
      Boolean,
      60_000,
    );
    client = new Client({
      connection: localConnection({ baseUrl: running.base_url, apiKey: running.api_key }),
      dispatcher,
    });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const { pid } = running;
    if (isAlive(pid)) process.kill(pid, signal);
    await hasGone(pid);
  }

  /** Windows has no signal that asks a process to end. */
  async function stopByRequest(): Promise<void> {
    const { pid, base_url, api_key } = running;
    await fetch(`${base_url}/harbor/shutdown`, {
      method: 'POST',
      headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
      body: '{"when":"now"}',
    });
    await hasGone(pid);
  }

  async function hasGone(pid: number): Promise<void> {
    await eventually('the server has gone', () => !isAlive(pid), Boolean, 20_000);
  }

  await start();
  return {
    dataDir,
    get pid() {
      return running.pid;
    },
    get baseUrl() {
      return running.base_url;
    },
    get apiKey() {
      return running.api_key;
    },
    get client() {
      if (client === undefined) throw new Error('The server has not been started.');
      return client;
    },
    log: () => readFile(logFile, 'utf8'),
    fetch: (route, init = {}) => {
      const { body, headers, ...rest } = init;
      return fetch(`${running.base_url}${route}`, {
        ...rest,
        headers: {
          'x-api-key': running.api_key,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(headers as Record<string, string> | undefined),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    kill: () => end('SIGKILL'),
    stop: () => (process.platform === 'win32' ? stopByRequest() : end('SIGTERM')),
    start,
    children: () => processTree([], marker).filter((pid) => pid !== running.pid),
    async [Symbol.asyncDispose]() {
      // A command may have stopped this server, and a later command may have started another one on the same folder.
      const last = await announced().catch(() => running);
      await endProcessTree([running.pid, last.pid], marker);
      await dispatcher.destroy();
      // On Windows, the folder is in use until the last process in it has ended.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      if (process.env.TEST_KEEP_LOG === undefined) await rm(logFile, { force: true });
    },
  };
}
