import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { Client, RunTree } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import { traceable } from 'langsmith/traceable';
import pg from 'pg';
import { z } from 'zod';
import { type CliResult, cli } from '../../../support/cli.ts';
import { type ServerProcess, serverProcess } from '../../../support/control-plane/server-process.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { platformTeam } from '../../../support/team-platform.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { newRun } from '../../../support/traces.ts';
import { eventually } from '../../../support/wait.ts';

const PROJECT = 'moved project';
const TRACES = 8;
/** Kept beside the database. */
const LARGE_CHARS = 1_500_000;
const large = (word: string) => `${word} ${'ab'.repeat(LARGE_CHARS / 2)}`;

describe('traces of a data folder that is moved to a team', function () {
  this.timeout(600_000);
  let postgres: Postgres;
  let server: ServerProcess;
  let objects: Awaited<ReturnType<typeof temporaryFolder>>;
  let key: string;
  let workspaceId: string;
  /** Of another workspace, which has a trace too. */
  let otherKey: string;
  let early: ReturnType<typeof newRun>;
  /** What was read of them while their server ran. */
  let before_: unknown;

  before(async function () {
    postgres = await requirePostgres(this);
    objects = await temporaryFolder();
    server = await serverProcess();
    const made = await server.fetch('/api-key', { method: 'POST', body: { description: 'Ada' } });
    ({ key } = z.object({ key: z.string() }).parse(await made.json()));
    const api = apiOf(server.baseUrl, key);
    ({ workspaceId, otherKey } = await addWorkspace(server));
    early = newRun({ name: 'in two parts', session_name: PROJECT });
    await fill(api, early);
    // Words are indexed between requests.
    await eventually('all are found', async () => (await api.find('search("goldcrest")')).length === TRACES);
    before_ = await readAll(api);
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
  /** Moves that are killed, the last of them in the midst of the large payloads; made once, and copied. */
  const moveUpToBlobs = async (): Promise<string> => {
    unfinished ??= await moveUntilKilled();
    const database = await postgres.createDatabase(unfinished);
    await cp(storeOf(unfinished), storeOf(database), { recursive: true });
    return database;
  };

  const moveUntilKilled = async (): Promise<string> => {
    const database = await postgres.createDatabase();
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
    const database = await moveUpToBlobs();
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
    assert.equal(await query(database, heads), String(TRACES + 2), 'those that are searched begin in it');
    const inRows = `select count(*) from harbor_traces.runs, jsonb_each(payloads::jsonb) as place (kind, value)
      where jsonb_typeof(value) = 'array' and (value ->> 2)::int > ${LARGE_CHARS}`;
    assert.equal(await query(database, inRows), '0', 'also those that were rows of the folder');

    await using node = await team.start();
    const api = apiOf(node.url, key);
    assert.deepEqual(await readAll(api), before_);

    // Traces go on: what had come too early, new ones, and purging.
    await api.send('POST', '/runs', early);
    const joined = z
      .object({ outputs: z.unknown(), status: z.string() })
      .parse(await api.get(`/runs/${early.id}`));
    assert.deepEqual(joined, { outputs: { answer: 'wryneck' }, status: 'success' });
    await trace(api.client, 'after', TRACES);
    const goldcrests = async () => (await api.find('search("goldcrest")')).length;
    await eventually('it is found', async () => (await goldcrests()) === TRACES + 1);
    const [doomed] = await api.find('eq(name, "agent 0")');
    const { id: session_id } = await api.client.readProject({ projectName: PROJECT });
    await api.send('POST', '/runs/delete', { session_id, trace_ids: [doomed?.trace_id] });
    const isPurged = async () => {
      const all = z.array(z.object({ status: z.string() })).parse(await api.get('/purge/jobs'));
      return all.length > 0 && all.every(({ status }) => status === 'verified');
    };
    // It waits for older transactions of the database to end.
    await eventually('it is purged', isPurged, Boolean, 120_000);
    assert.equal(await goldcrests(), TRACES);
  });

  it('come back to a new folder with their workspace alone, after moves that were killed', async () => {
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
    // In its end, when the large payloads have taken their place, but not the databases.
    assert.notEqual((await back(workspaceId, { AGENT_HARBOR_CRASH_AT: 'move-finishing' })).code, 0);
    assert.ok((await blobFiles(dataDir)).length > 0);
    assert.equal(existsSync(path.join(dataDir, 'state.db')), false);
    const { code, stdout, stderr } = await back(workspaceId);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Their numbers and hashes are the same on both sides/);
    assert.match((await back(workspaceId)).stderr, /is a data folder already/);

    await using again = await serverProcess({ dataDir });
    const api = apiOf(again.baseUrl, key);
    assert.deepEqual(await readAll(api), before_);
    await api.send('POST', '/runs', early);
    assert.equal((await api.client.readRun(early.id)).status, 'success');
    await trace(api.client, 'after', TRACES);
    await eventually(
      'it is found',
      async () => (await api.find('search("goldcrest")')).length === TRACES + 1,
    );
    await assert.rejects(apiOf(again.baseUrl, otherKey).get('/sessions'), /401/);
    await again.stop();
    const traces = new DatabaseSync(path.join(dataDir, 'traces.db'), { readOnly: true });
    const { others } =
      traces.prepare("select count(*) as others from sessions where name = 'of others'").get() ?? {};
    traces.close();
    assert.equal(others, 0);
  });

  it('go to the object store that their move was begun with, which no other database has', async () => {
    const [database, other] = [await postgres.createDatabase(), await postgres.createDatabase()];
    assert.notEqual((await move(database, { AGENT_HARBOR_CRASH_AT: 'move-stored:2' })).code, 0);
    const moveWith = (to: string, ...objectsOption: readonly string[]) =>
      cli(['move', '--to', to, ...objectsOption, '--data-dir', server.dataDir], {
        environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey },
      });
    assert.match(
      (await moveWith(database)).stderr,
      /The move was begun with --objects\. Go on as it was begun/,
    );
    const taken = await moveWith(other, '--objects', storeOf(database));
    assert.match(
      taken.stderr,
      /is the object store of another database.*Pass a place of its own with --objects/,
    );
    // It goes on with what it is told to.
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
      /Payloads of traces differ: ttl_.* begins in another way in the database/,
    ],
    [
      'whether a large payload is searched',
      'update harbor_traces.blobs set head = null',
      /Payloads of traces differ: ttl_.* begins in another way in the database/,
    ],
  ] as const)
    it(`are not given to servers when ${what} differs in the end`, async () => {
      const database = await moveUpToBlobs();
      await query(database, change);
      const { code, stderr } = await move(database);
      assert.match(stderr, told);
      assert.notEqual(code, 0);
      assert.equal(await query(database, `select count(*) from settings where name = 'moving'`), '1');
    });
});

/** Adds another workspace, with a trace in it. @returns the ID of the one that was there, and a key of the other. */
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
  await apiOf(server.baseUrl, key).send('POST', '/runs', newRun({ session_name: 'of others' }));
  return { workspaceId: own?.id ?? '', otherKey: key };
}

type Api = ReturnType<typeof apiOf>;

/** The platform as the SDK and requests of one's own reach it. */
function apiOf(url: string, apiKey: string) {
  const send = async (method: string, route: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${url}${route}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const client = new Client({ apiUrl: url, apiKey });
  return {
    url,
    client,
    send,
    get: (route: string) => send('GET', route),
    find: async (filter: string) => {
      const { id } = await client.readProject({ projectName: PROJECT });
      const Found = z.object({ runs: z.array(z.object({ name: z.string(), trace_id: z.string() })) });
      const found = Found.parse(await send('POST', '/runs/query', { session: [id], filter, limit: 100 }));
      return found.runs.toSorted((a, b) => a.name.localeCompare(b.name));
    },
  };
}

async function trace(client: Client, name: string, at: number): Promise<void> {
  const tool = traceable(async (text: string) => text.toUpperCase(), {
    name: 'tool',
    run_type: 'tool',
    client,
    tracingEnabled: true,
  });
  const agent = traceable(async (text: string) => ({ said: await tool('wren'), text }), {
    name,
    client,
    tracingEnabled: true,
    project_name: PROJECT,
    tags: [`t${at % 2}`],
    metadata: { user: `u${at % 3}`, at },
  });
  await agent(`goldcrest ${at}`);
  await client.awaitPendingTraceBatches();
}

/** Traces, feedback, datasets and what belongs to them, as the SDK makes them. */
async function fill({ client, send, find }: Api, early: ReturnType<typeof newRun>): Promise<void> {
  for (let at = 0; at < TRACES; at++) {
    await trace(client, `agent ${at}`, at);
    const tree = new RunTree({
      name: `large ${at}`,
      run_type: 'llm',
      client,
      project_name: PROJECT,
      inputs: { text: large(`siskin${at}`) },
      attachments: {
        sound: ['audio/wav', Buffer.from(large(`sound ${at}`))],
        note: ['text/plain', Buffer.from('x')],
      },
    });
    await tree.postRun();
    const usage_metadata = { input_tokens: at, output_tokens: 2, total_tokens: at + 2, input_cost: 0.1 };
    await tree.end({ usage_metadata }, at === 0 ? large('broken') : undefined);
    await tree.patchRun();
  }
  await client.awaitPendingTraceBatches();
  // With its payloads within its JSON, which a folder keeps in rows.
  const inputs = { text: large('dunnock') };
  const ended = { outputs: { text: large('fieldfare') }, end_time: new Date().toISOString() };
  await send('POST', '/runs', newRun({ name: 'in JSON', session_name: PROJECT, inputs, ...ended }));
  for (const { trace_id } of (await find('eq(name, "agent 1")')).concat(await find('eq(name, "agent 2")')))
    await client.createFeedback(trace_id, 'clear', { score: 0.5, comment: 'Good enough ✓' });
  const [shared] = await find('eq(name, "agent 3")');
  await client.shareRun(shared?.trace_id ?? '');
  const dataset = await client.createDataset('questions', { description: 'a test', metadata: { team: 'a' } });
  const example = await client.createExample({ q: 1 }, { a: 1 }, { datasetId: dataset.id });
  const { as_of } = await client.readDatasetVersion({ datasetId: dataset.id, asOf: new Date() });
  await client.updateDatasetTag({ datasetId: dataset.id, asOf: as_of, tag: 'v1' });
  await client.updateExample({ id: example.id, outputs: { a: 2 } });
  await client.createExamples([
    {
      id: randomUUID(),
      dataset_id: dataset.id,
      inputs: { q: 2 },
      attachments: { note: { mimeType: 'text/plain', data: Buffer.from('hello') } },
    },
  ]);
  await evaluate(async ({ q }: { q: number }) => ({ a: q }), {
    data: 'questions',
    evaluators: [
      ({ outputs }: { outputs?: Record<string, unknown> }) => ({
        key: 'right',
        score: outputs?.a === 1 ? 1 : 0,
      }),
    ],
    client,
    experimentPrefix: 'first',
  });
  // An update whose run has not come yet.
  await send('PATCH', `/runs/${early.id}`, {
    trace_id: early.trace_id,
    dotted_order: early.dotted_order,
    outputs: { answer: 'wryneck' },
    end_time: new Date().toISOString(),
  });
}

const FILTERS = [
  'search("goldcrest")',
  'search("siskin3")',
  'search("dunnock")',
  'search("fieldfare")',
  'search("wren")',
  'has(tags, "t1")',
  'and(eq(metadata_key, "user"), eq(metadata_value, "u2"))',
  'and(eq(metadata_key, "at"), gt(metadata_value, 4))',
  'eq(feedback_key, "clear")',
  'eq(run_type, "llm")',
  'gt(total_tokens, 5)',
  'eq(is_root, true)',
];

/** The same questions, asked of the folder's server and of one of the team. */
async function readAll({ client, get, send, find }: Api): Promise<unknown> {
  const project = await client.readProject({ projectName: PROJECT, includeStats: true });
  const runs = [];
  for await (const run of client.listRuns({ projectName: PROJECT })) runs.push(run);
  const attachments = [];
  for (const run of runs)
    for (const [name, place] of Object.entries(
      (run as { s3_urls?: Record<string, { presigned_url: string }> | null }).s3_urls ?? {},
    ))
      attachments.push([run.name, name, (await (await fetch(place.presigned_url)).text()).slice(0, 40)]);
  const datasets = [];
  for await (const dataset of client.listDatasets()) {
    const examples = [];
    for (const asOf of ['latest', 'v1'])
      for await (const example of client.listExamples({ datasetId: dataset.id, asOf }))
        examples.push(example);
    datasets.push({ dataset, examples: examples.toSorted(byId) });
  }
  const feedback = [];
  for await (const one of client.listFeedback({ runIds: runs.map(({ id }) => id) })) feedback.push(one);
  const projects = z.array(z.object({ id: z.string() })).parse(await get('/sessions?include_stats=true'));
  const found = await Promise.all(
    FILTERS.map(async (filter) => [filter, (await find(filter)).map(({ name }) => name)]),
  );
  for (const [filter, names] of found) assert.ok((names ?? '').length > 0, `${filter} finds something`);
  return withoutAddresses({
    project,
    projects: projects.toSorted(byId),
    runs: runs.toSorted(byId),
    attachments: attachments.toSorted(),
    datasets,
    feedback: feedback.toSorted(byId),
    found,
    stats: await Promise.all(
      FILTERS.map((filter) => send('POST', '/runs/stats', { session: [project.id], filter })),
    ),
  });
}

const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);

/** Links are signed anew each time, and name the server. */
function withoutAddresses(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (/url/.test(name) ? undefined : member)),
  );
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
