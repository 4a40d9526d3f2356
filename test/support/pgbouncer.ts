import { execFile, spawn } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import pg from 'pg';
import { messageOf } from '../../src/process/message-of.ts';
import { installOnce } from './cache.ts';
import { skip } from './skip.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { unusedPort } from './unused-port.ts';
import { eventually, FinalFailure, patience } from './wait.ts';

const execute = promisify(execFile);
/** The program, and the less common libraries that it needs. */
const PACKAGES = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'];
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

interface Programs {
  readonly file: string;
  readonly libraries: string;
}

/** A pooler in front of a PostgreSQL. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL of a database through the pooler. */
  over(url: string): string;
}

/** Debian's package, unpacked into the cache; skips the tests of a suite if it is not available. */
export async function requirePgBouncer(context: Context): Promise<Programs> {
  context.timeout(120_000 * patience);
  try {
    const { folder } = await installOnce({
      name: 'pgbouncer',
      versions: { debian: 'bookworm', packages: PACKAGES.join() },
      install: unpack,
    });
    const lib = path.join(folder, 'usr/lib');
    const triple = (await readdir(lib)).find((name) => name.endsWith('-linux-gnu')) ?? '';
    const programs = {
      file: path.join(folder, 'usr/sbin/pgbouncer'),
      libraries: path.join(lib, triple),
    };
    await execute(programs.file, ['--version'], { env: { LD_LIBRARY_PATH: programs.libraries } });
    return programs;
  } catch (error) {
    return skip(context, `PgBouncer cannot be had: ${messageOf(error).split('\n')[0]}`);
  }
}

async function unpack(folder: string): Promise<Record<string, string>> {
  await execute('apt-get', ['download', ...PACKAGES], { cwd: folder, timeout: 60_000 * patience });
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.deb')) continue;
    await execute('dpkg-deb', ['--extract', name, folder], { cwd: folder });
    await rm(path.join(folder, name));
  }
  return {};
}

/**
 * Starts it with its defaults, except for what tests need. @param url a database in the PostgreSQL behind it. @param
 * settings more lines for its file.
 */
export async function startPgBouncer(
  { file, libraries }: Programs,
  url: string,
  settings: readonly string[],
): Promise<PgBouncer> {
  const folder = await temporaryFolder();
  const [{ hostname, port: behind }, port] = [new URL(url), await unusedPort()];
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${behind}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'auth_file =',
    ...settings,
  ];
  // All connections use the user of the tests.
  lines[1] += ' user=postgres';
  const config = path.join(folder.path, 'pgbouncer.ini');
  await writeFile(config, `${lines.join('\n')}\n`);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await execute('chown', ['-R', String(NOBODY), folder.path]);
  let said = '';
  const child = spawn(file, [config], {
    cwd: folder.path,
    env: { LD_LIBRARY_PATH: libraries },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const over = (database: string) => {
    const own = new URL(database);
    own.port = String(port);
    return own.href;
  };
  await eventually('PgBouncer answers', async () => {
    if (child.exitCode !== null) throw new FinalFailure(`PgBouncer ended: ${said}`);
    const client = new pg.Client(over(url));
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query('select 1')).rowCount === 1;
    } finally {
      await client.end().catch(() => {});
    }
  });
  return {
    over,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGKILL')) await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}
