import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import pg from 'pg';
import { z } from 'zod';
import { type CliResult, cli } from '../../../support/cli.ts';
import { type ServerProcess, serverProcess } from '../../../support/control-plane/server-process.ts';
import {
  LARGE_CHARS,
  PROJECT,
  readEveryKind,
  sendEarlyRun,
  storeEveryKind,
  TRACES,
  type TracesApi,
  traceAgent,
  tracesApi,
} from '../../../support/every-kind-of-trace.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { platformTeam } from '../../../support/team-platform.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { newRun } from '../../../support/traces.ts';
import { eventually } from '../../../support/wait.ts';

describe('traces of a data folder that is moved to a team', function () {
  this.timeout(600_000);
  let postgres: Postgres;
  let server: ServerProcess;
  let objects: Awaited<ReturnType<typeof temporaryFolder>>;
  let key: string;
  let workspaceId: string;
  /** The key of another workspace, which has a trace too. */
  let otherKey: string;
  /** A run whose update is in the folder, and which is sent after the move. */
  let early: ReturnType<typeof newRun>;
  /** Everything that was stored, as the server of the folder answered it. */
  let original: unknown;

  before(async function () {
    postgres = await requirePostgres(this);
    objects = await temporaryFolder();
    server = await serverProcess();
    const made = await server.fetch('/api-key', { method: 'POST', body: { description: 'Ada' } });
    ({ key } = z.object({ key: z.string() }).parse(await made.json()));
    const api = tracesApi(server.baseUrl, key);
    ({ workspaceId, otherKey } = await addWorkspace(server));
    early = await storeEveryKind(api);
    // Words are indexed between requests.
    await eventually('all are found', async () => (await goldcrests(api)) === TRACES);
    original = await readEveryKind(api);
    await server.stop();
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await objects?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const secretsKey = 'ab'.repeat(32);
  const storeOf = (database: string) => path.join(objects.path, new URL(database).pathname);
  const move = (database: string, environment: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
    cli(['move', '--to', database, '--objects', storeOf(database), '--data-dir', server.dataDir], {
      environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey, ...environment },
    });

  let unfinished: string | undefined;
  /** A copy of a database to which a move was killed while it stored large payloads. The move is made once. */
  const copyUnfinishedMove = async (): Promise<string> => {
    unfinished ??= await moveUntilKilled();
    const database = await postgres.createDatabase(unfinished);
    await cp(storeOf(unfinished), storeOf(database), { recursive: true });
    return database;
  };

  const moveUntilKilled = async (): Promise<string> => {
    const database = await postgres.createDatabase();
    // The table does not exist until the move has created it.
    const stored = async () =>
      Number(await query(database, 'select count(*) from harbor_traces.blobs').catch(() => 0));
    for (let attempts = 0; (await stored()) === 0; attempts++) {
      assert.ok(attempts < 100, 'each attempt goes on where the one before was killed');
      const killed = await move(database, { AGENT_HARBOR_CRASH_AT: 'move-stored:8' });
      assert.notEqual(killed.code, 0);
    }
    assert.ok((await stored()) < (await blobFiles(server.dataDir)).length, 'some are still to be moved');
    return database;
  };

  it('answer as before, after moves that were killed', async () => {
    assert.ok((await blobFiles(server.dataDir)).length >= TRACES, 'large payloads are files of the folder');
    const database = await copyUnfinishedMove();
    const team = platformTeam({
      database,
      objects: storeOf(database),
      secretsKey,
      urlOf: (port) => `http://127.0.0.1:${port}`,
    });
    const { code, stdout, stderr } = await move(database);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Their numbers and hashes are the same on both sides/);
    const inDatabase = 'select count(*) from harbor_traces.blobs where data is not null';
    assert.equal(await query(database, inDatabase), '0', 'large payloads are objects of the team');
    const heads = 'select count(*) from harbor_traces.blobs where head is not null';
    assert.equal(
      await query(database, heads),
      String(TRACES + 2),
      'the start of those that are searched is in it',
    );
    const inRows = `select count(*) from harbor_traces.runs, jsonb_each(payloads::jsonb) as place (kind, value)
      where jsonb_typeof(value) = 'array' and (value ->> 2)::int > ${LARGE_CHARS}`;
    assert.equal(await query(database, inRows), '0', 'large payloads in rows of the folder are objects, too');

    await using node = await team.start();
    const api = tracesApi(node.url, key);
    assert.deepEqual(await readEveryKind(api), original);

    await sendEarlyRun(api, early);
    await traceAgent(api.client, 'after', TRACES);
    await eventually('the new trace is found', async () => (await goldcrests(api)) === TRACES + 1);
    const [doomed] = await api.find('eq(name, "agent 0")');
    const { id: session_id } = await api.client.readProject({ projectName: PROJECT });
    await api.send('POST', '/runs/delete', { session_id, trace_ids: [doomed?.trace_id] });
    const isPurged = async () => {
      const all = z.array(z.object({ status: z.string() })).parse(await api.get('/purge/jobs'));
      return all.length > 0 && all.every(({ status }) => status === 'verified');
    };
    // A purge waits for older transactions of the database to end.
    await eventually('a moved trace is purged', isPurged, Boolean, 120_000);
    assert.equal(await goldcrests(api), TRACES);
  });

  it('are moved back to a new folder without those of other workspaces, after moves that were killed', async () => {
    const database = await postgres.createDatabase();
    assert.equal((await move(database)).code, 0);
    await using folder = await temporaryFolder();
    const dataDir = path.join(folder.path, 'new');
    const back = (workspace: string, environment: Readonly<Record<string, string>> = {}) =>
      cli(
        [
          'move',
          '--from',
          database,
          '--workspace',
          workspace,
          '--objects',
          storeOf(database),
          '--data-dir',
          dataDir,
        ],
        { environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey, ...environment } },
      );
    const withoutObjects = ['move', '--from', database, '--workspace', workspaceId, '--data-dir', dataDir];
    const refused = await cli(withoutObjects, { environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey } });
    assert.match(refused.stderr, /large payloads of traces in the object store. Pass --objects/);
    assert.match((await back('nobody')).stderr, /There is no workspace 'nobody'\. There are: .*Others/);
    assert.notEqual((await back(workspaceId, { AGENT_HARBOR_CRASH_AT: 'move-stored:9' })).code, 0);
    // Killed when the large payloads are in place, but the databases are not.
    assert.notEqual((await back(workspaceId, { AGENT_HARBOR_CRASH_AT: 'move-finishing' })).code, 0);
    assert.ok((await blobFiles(dataDir)).length > 0);
    assert.equal(existsSync(path.join(dataDir, 'state.db')), false);
    const { code, stdout, stderr } = await back(workspaceId);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Their numbers and hashes are the same on both sides/);
    assert.match((await back(workspaceId)).stderr, /is already a data folder/);

    await using again = await serverProcess({ dataDir });
    const api = tracesApi(again.baseUrl, key);
    assert.deepEqual(await readEveryKind(api), original);
    await sendEarlyRun(api, early);
    await traceAgent(api.client, 'after', TRACES);
    await eventually('the new trace is found', async () => (await goldcrests(api)) === TRACES + 1);
    await assert.rejects(tracesApi(again.baseUrl, otherKey).get('/sessions'), /401/);
    await again.stop();
    const traces = new DatabaseSync(path.join(dataDir, 'traces.db'), { readOnly: true });
    const { others } =
      traces.prepare("select count(*) as others from sessions where name = 'of others'").get() ?? {};
    traces.close();
    assert.equal(others, 0);
  });

  it('are moved to one object store only, which no other database uses', async () => {
    const [database, other] = [await postgres.createDatabase(), await postgres.createDatabase()];
    assert.notEqual((await move(database, { AGENT_HARBOR_CRASH_AT: 'move-stored:2' })).code, 0);
    const moveWith = (to: string, ...objectsOption: readonly string[]) =>
      cli(['move', '--to', to, ...objectsOption, '--data-dir', server.dataDir], {
        environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey },
      });
    assert.match(
      (await moveWith(database)).stderr,
      /The move was begun with --objects\. Continue with the same options/,
    );
    const taken = await moveWith(other, '--objects', storeOf(database));
    assert.match(taken.stderr, /is the object store of another database.*Pass another place with --objects/);
    // The other database has its own store.
    assert.equal((await moveWith(other, '--objects', storeOf(other))).code, 0);
  });

  for (const [what, change, told] of [
    [
      'a row',
      `update harbor_traces.feedback set comment = 'other'`,
      /harbor_traces\.feedback differs: .*with other contents/,
    ],
    [
      'a large payload',
      `delete from harbor_traces.blobs where name = (select min(name) from harbor_traces.blobs)`,
      /Payloads of traces differ: ttl_.* is not in the database/,
    ],
    [
      'what searches read of one',
      `update harbor_traces.blobs set head = decode('${zstdCompressSync('other').toString('hex')}', 'hex')
        where head is not null`,
      /Payloads of traces differ: ttl_.* starts with other contents in the database/,
    ],
    [
      'whether a large payload is searched',
      'update harbor_traces.blobs set head = null',
      /Payloads of traces differ: ttl_.* starts with other contents in the database/,
    ],
  ] as const)
    it(`are not served when the last comparison finds that ${what} differs`, async () => {
      const database = await copyUnfinishedMove();
      await query(database, change);
      const { code, stderr } = await move(database);
      assert.match(stderr, told);
      assert.notEqual(code, 0);
      assert.equal(await query(database, `select count(*) from settings where name = 'moving'`), '1');
    });
});

/** The number of traces that `traceAgent` made. */
async function goldcrests({ find }: TracesApi): Promise<number> {
  return (await find('search("goldcrest")')).length;
}

/** Adds another workspace, with a trace in it. @returns the ID of the workspace that was there, and a key of the new one. */
async function addWorkspace(server: ServerProcess): Promise<{ workspaceId: string; otherKey: string }> {
  const Workspace = z.object({ id: z.string() });
  const [own] = z.array(Workspace).parse(await (await server.fetch('/workspaces')).json());
  const body = { display_name: 'Others' };
  const other = Workspace.parse(await (await server.fetch('/workspaces', { method: 'POST', body })).json());
  const made = await server.fetch('/api-key', {
    method: 'POST',
    body: { description: 'of others', workspaces: [other.id] },
  });
  const { key } = z.object({ key: z.string() }).parse(await made.json());
  await tracesApi(server.baseUrl, key).send('POST', '/runs', newRun({ session_name: 'of others' }));
  return { workspaceId: own?.id ?? '', otherKey: key };
}

async function blobFiles(dataDir: string): Promise<string[]> {
  const all = await readdir(path.join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function query(database: string, sql: string): Promise<string | undefined> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const { rows } = await client.query<{ count?: string }>(sql);
    return rows[0]?.count;
  } finally {
    await client.end();
  }
}
