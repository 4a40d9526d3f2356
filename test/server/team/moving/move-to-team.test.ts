import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { z } from 'zod';
import { waitForRevision } from '../../../../src/client/wait-for-revision.ts';
import { type CliResult, cli } from '../../../support/cli.ts';
import { LINK_PACKAGES, linkedProject } from '../../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../../support/control-plane/server-process.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { platformTeam } from '../../../support/team-platform.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

const THREADS = 12;
/** More rows than one transaction of a move copies. */
const LARGE_ITEMS = 10;
const LARGE_CHARS = 1_000_000;
const SECRET = 'the value of a secret';

describe('a data folder that is moved to a team', function () {
  this.timeout(900_000);
  let postgres: Postgres;
  let repository: GitRepository;
  let server: ServerProcess;
  let objects: Awaited<ReturnType<typeof temporaryFolder>>;
  let deploymentId: string;
  /** A key that somebody was given. */
  let key: string;
  /** The data that was read from it while its server ran. */
  let before_: Awaited<ReturnType<typeof readAll>>;
  let unfinished: { threadId: string; runId: string };

  before(async function () {
    postgres = await requirePostgres(this);
    repository = await gitRepository();
    objects = await temporaryFolder();
    server = await serverProcess();
    const files = await linkedProject('moved');
    const slow = files['src/slow.mjs'] ?? assert.fail();
    const waits = `while (ticks > 9 && !existsSync(${JSON.stringify(gate())})) await new Promise((done) => setTimeout(done, 50));
  for (let tick = 0`;
    const gated = slow.replaceAll('"moved"', 'process.env.OF_TEAM').replace('for (let tick = 0', waits);
    await repository.push({ ...files, 'src/slow.mjs': `import { existsSync } from 'node:fs';\n${gated}` });
    const created = await server.client.deployments.create({
      body: {
        name: 'slow',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
        secrets: [{ name: 'OF_TEAM', value: SECRET }],
      },
    });
    deploymentId = created.id;
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(server.client.revisions, params);
    const { source_config } = await server.client.deployments.get({ params });
    const made = await server.fetch('/api-key', { method: 'POST', body: { description: 'Ada' } });
    ({ key } = z.object({ key: z.string() }).parse(await made.json()));
    const client = new LangGraphClient({ apiUrl: source_config.custom_url ?? '', apiKey: key });
    await fill(client);
    before_ = await readAll(client);
    const { thread_id: threadId } = await client.threads.create();
    const { run_id: runId } = await client.runs.create(threadId, 'slow', { input: { ticks: 10 } });
    unfinished = { threadId, runId };
    await eventually('it runs', async () => (await client.runs.get(threadId, runId)).status === 'running');
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await objects?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  /** The run with ten ticks waits for this file. */
  const gate = () => path.join(objects.path, 'go');
  const storeOf = (database: string) => path.join(objects.path, new URL(database).pathname);
  const secretsKey = 'ab'.repeat(32);
  const move = (
    database: string,
    environment: Readonly<Record<string, string>> = {},
    ...args: readonly string[]
  ): Promise<CliResult> =>
    cli(['move', '--to', database, '--objects', storeOf(database), '--data-dir', server.dataDir, ...args], {
      environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey, ...environment },
    });

  it('is refused while a server uses it', async () => {
    const { code, stderr } = await move(await postgres.createDatabase());
    assert.match(stderr, /A server is using .*, or another move reads it\. End serve and dev with Ctrl-C/);
    assert.notEqual(code, 0);
    await server.stop();
    const state = new DatabaseSync(path.join(server.dataDir, 'state.db'), { readOnly: true });
    const row = state.prepare('select status from runs where run_id = ?').get(unfinished.runId);
    state.close();
    assert.match(String(row?.status), /^(pending|running)$/);
  });

  it('needs the secrets key and an object store', async () => {
    const database = await postgres.createDatabase();
    assert.match(
      (await move(database, { AGENT_HARBOR_SECRETS_KEY: '' })).stderr,
      /Set AGENT_HARBOR_SECRETS_KEY/,
    );
    const withoutObjects = await cli(['move', '--to', database, '--data-dir', server.dataDir], {
      environment: { AGENT_HARBOR_SECRETS_KEY: secretsKey },
    });
    assert.match(withoutObjects.stderr, /Pass --objects/);
    const { stdout, stderr, code } = await move(database, {}, '--dry-run');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^store_items: 12 rows$/m);
    assert.match(stdout, /^histories: 2 rows$/m);
    assert.match(stdout, /Nothing was stored/);
    const { rows } = await query(database, "select from pg_tables where schemaname = 'public'");
    assert.equal(rows.length, 0);
  });

  it('answers as before, after moves that were killed, and is left unchanged', async () => {
    const database = await postgres.createDatabase();
    const team = platformTeam({ database, objects: storeOf(database) });
    const files = await describeFiles(server.dataDir);
    const environment = { AGENT_HARBOR_SECRETS_KEY: team.secretsKey };
    const killed = await move(database, { ...environment, AGENT_HARBOR_CRASH_AT: 'move-stored:6' });
    assert.notEqual(killed.code, 0);
    await assert.rejects(team.start(), /A data folder is being moved into this database/);
    await move(database, { ...environment, AGENT_HARBOR_CRASH_AT: 'move-stored:9' });
    // In the middle of a table.
    const items = async () =>
      Number((await query(database, 'select count(*) from store_items')).rows[0]?.count);
    let attempts = 0;
    while ((await items()) === 0) {
      assert.ok(++attempts < 100, 'each attempt goes on where the one before was killed');
      await move(database, { ...environment, AGENT_HARBOR_CRASH_AT: 'move-stored:1' });
    }
    const stored = await items();
    assert.ok(stored < LARGE_ITEMS, `${stored} items are stored`);
    const { code, stdout, stderr } = await move(database, environment);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /^threads:/m, 'what is stored is not stored again');
    assert.match(stdout, /Their numbers and hashes are the same on both sides/);
    assert.deepEqual(await describeFiles(server.dataDir), files);
    assert.match((await move(database, environment)).stderr, /has been moved into this database already/);

    await using node = await team.start();
    const client = new LangGraphClient({ apiUrl: `${node.url}/d/${deploymentId}`, apiKey: key });
    const isServed = () => client.assistants.search();
    await eventually('the deployment is served', isServed, Boolean, 60_000);
    const { threadId, runId } = unfinished;
    await writeFile(gate(), '');
    assert.deepEqual(await client.runs.join(threadId, runId), { ticks: 10, greeting: SECRET });
    await client.threads.delete(threadId);
    assert.deepEqual(await readAll(client), before_);
    const { thread_id } = await client.threads.create();
    const more = await client.runs.wait(thread_id, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(more, { ticks: 1, greeting: SECRET });
    const builds = await node.client.revisions.list({ params: { deployment_id: deploymentId }, query: {} });
    assert.equal(builds.resources.length, 1);
    const old = await fetch(`${node.url}/v2/deployments`, { headers: { 'x-api-key': server.apiKey } });
    assert.equal(old.status, 401, 'the key of the machine is not one of the team');
  });

  it('comes back to a new folder, where it answers as in the team', async () => {
    const database = await postgres.createDatabase();
    const team = platformTeam({ database, objects: storeOf(database) });
    await server.stop();
    assert.equal((await move(database, { AGENT_HARBOR_SECRETS_KEY: team.secretsKey })).code, 0);
    await using folder = await temporaryFolder();
    const dataDir = path.join(folder.path, 'new');
    const back = (...args: readonly string[]) =>
      cli(['move', '--from', database, '--workspace', 'Local', '--data-dir', dataDir, ...args], {
        environment: { AGENT_HARBOR_SECRETS_KEY: team.secretsKey },
      });
    assert.match(
      (await back('--objects', storeOf(database))).stderr,
      /has 1 unfinished run, which would continue both in the team/,
    );
    let inTeam: Awaited<ReturnType<typeof readAll>> | undefined;
    {
      await using node = await team.start();
      const client = new LangGraphClient({ apiUrl: `${node.url}/d/${deploymentId}`, apiKey: key });
      await eventually('the deployment is served', () => client.assistants.search(), Boolean, 60_000);
      await writeFile(gate(), '');
      await client.runs.join(unfinished.threadId, unfinished.runId);
      inTeam = await readAll(client);
    }
    await query(
      database,
      `insert into webhooks values ('one', '${deploymentId}', 'run', 'http://127.0.0.1:9', '{}', 1, '2999', '2026')`,
    );
    // Adds a token as a sign-in in the team would.
    await query(
      database,
      `insert into oauth_providers (id, organization_id, provider_id, name, client_id, auth_url, token_url, uses_pkce, token_endpoint_auth_method, is_dynamic_client, created_at, updated_at)
         select 'p', id, 'mail', 'Mail', 'c', 'https://127.0.0.1', 'https://127.0.0.1', 1, 'none', 0, '2026', '2026' from organizations limit 1;
       insert into oauth_tokens (id, organization_id, workspace_id, provider_id, user_id, scopes, sealed, is_default, created_at, updated_at)
         select 't', organization_id, id, 'mail', 'ada', '[]', '\\x00', 1, '2026', '2026' from workspaces where name = 'Local';
       insert into agent_connections values ('c', (select id from workspaces where name = 'Local'), 'a', 't', 'ada', '2026')`,
    );
    assert.match((await back()).stderr, /Pass --objects/);
    const { code, stdout, stderr } = await back('--objects', storeOf(database));
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Their numbers and hashes are the same on both sides/);
    assert.doesNotMatch(stdout, /does not run on this machine/);
    assert.match(stdout, /^The team keeps 1 enabled cron, so crons are disabled in the folder\. /m);
    assert.match(stdout, /^The team keeps 1 sign-in with providers, /m);
    const state = new DatabaseSync(path.join(dataDir, 'state.db'), { readOnly: true });
    for (const table of ['webhooks', 'oauth_tokens', 'agent_connections'])
      assert.equal(state.prepare(`select count(*) as rows from ${table}`).get()?.rows, 0, table);
    state.close();

    await using again = await serverProcess({ dataDir });
    const params = { deployment_id: deploymentId };
    const served = async () => {
      const { source_config } = await again.client.deployments.get({ params });
      const client = new LangGraphClient({ apiUrl: source_config.custom_url ?? '', apiKey: key });
      return (await client.assistants.search()).length > 0 ? client : undefined;
    };
    const client = (await eventually('the deployment is served', served, Boolean, 60_000)) ?? assert.fail();
    assert.deepEqual(await readAll(client), {
      ...inTeam,
      crons: inTeam.crons.map((cron) => ({ ...cron, enabled: false, next_run_date: null })),
    });
    const { thread_id } = await client.threads.create();
    const more = await client.runs.wait(thread_id, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(more, { ticks: 1, greeting: SECRET });
    const { resources } = await again.client.revisions.list({ params, query: {} });
    assert.equal(resources.length, 1, 'it was not built again');
  });

  it('is not served when a row differs at the end', async () => {
    const database = await postgres.createDatabase();
    await move(database, { AGENT_HARBOR_CRASH_AT: 'move-stored:6' });
    await query(database, "update workspaces set name = 'other'");
    const { code, stderr } = await move(database);
    assert.match(stderr, /workspaces differs: 1 row in the folder, 1 in the database, with other contents/);
    assert.notEqual(code, 0);
    const { rows } = await query(database, "select from settings where name = 'moving'");
    assert.equal(rows.length, 1);
  });
});

/** Fills a deployment with data of every kind. */
async function fill(client: LangGraphClient): Promise<void> {
  for (let at = 0; at < THREADS; at++) {
    const { thread_id } = await client.threads.create({ metadata: { at, name: `thread ${at} ✓` } });
    await client.runs.wait(thread_id, 'slow', { input: { ticks: at % 2 } });
  }
  const [first] = await client.threads.search({ limit: 1 });
  await client.runs.wait(first?.thread_id ?? '', 'slow', { input: { ticks: 1 } });
  // Reads the checkpoints of its source.
  await client.threads.copy(first?.thread_id ?? '');
  for (let at = 0; at < LARGE_ITEMS; at++)
    await client.store.putItem(['large'], `item ${at}`, { text: String(at).repeat(LARGE_CHARS) });
  await client.store.putItem(['notes', 'of ada'], 'key', { bytes: '\u0000 \u001f' });
  // Begins like the text that stands for bytes in a team's database.
  await client.store.putItem(['notes', 'of ada'], '\u0001aGVsbG8=', { text: '\u0001' });
  const { assistant_id } = await client.assistants.create({ graphId: 'slow', name: 'mine' });
  await client.assistants.update(assistant_id, { name: 'changed', metadata: { by: 'ada' } });
  await client.crons.create('slow', { schedule: '0 0 1 1 *', input: { ticks: 1 } });
}

/** The data that the SDK reads from a deployment. */
async function readAll(client: LangGraphClient) {
  const threads = await client.threads.search({ limit: 100, sortBy: 'thread_id' });
  const assistants = await client.assistants.search({ limit: 100, sortBy: 'assistant_id' });
  const items = await client.store.searchItems([], { limit: 100 });
  return {
    threads,
    histories: await Promise.all(threads.map(({ thread_id }) => client.threads.getHistory(thread_id))),
    runs: await Promise.all(threads.map(({ thread_id }) => client.runs.list(thread_id))),
    assistants,
    versions: await Promise.all(assistants.map((one) => client.assistants.getVersions(one.assistant_id))),
    items: items.items.toSorted((a, b) => a.key.localeCompare(b.key)),
    crons: await client.crons.search(),
  };
}

/** Names, sizes and times of all files, and the contents of those of the server's own. */
async function describeFiles(folder: string): Promise<unknown[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Promise.all(
    files.sort().map(async (file) => {
      const { size, mtimeMs } = await stat(file);
      const isOwn = path.dirname(file) === folder;
      const hash = isOwn
        ? createHash('sha256')
            .update(await readFile(file))
            .digest('hex')
        : '';
      return [path.relative(folder, file), size, mtimeMs, hash];
    }),
  );
}

async function query(database: string, sql: string): Promise<pg.QueryResult<{ count?: string }>> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
