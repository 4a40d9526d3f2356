import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { followChanges } from '../../src/extension/connections/follow-changes.ts';
import { cli } from '../support/cli.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const KEY = 'a-key-of-sixteen-and-more';
describe('agent-harbor team', function () {
  this.timeout(60_000);

  it('says what is missing', async () => {
    await using project = await graphProject({ line: 'langgraph-1.7' });
    const team = (environment: Readonly<Record<string, string>>) =>
      cli(['team'], { cwd: project.folder, environment: { DATABASE_URL: '', ...environment } });
    assert.match((await team({})).stderr, /Pass --database .* or set DATABASE_URL/);
    assert.match((await team({ DATABASE_URL: 'postgres://localhost/x' })).stderr, /Set AGENT_HARBOR_API_KEY/);
    const unreachable = { AGENT_HARBOR_API_KEY: KEY, DATABASE_URL: 'postgres://127.0.0.1:1/x' };
    assert.match(
      (await team(unreachable)).stderr,
      /No PostgreSQL answers at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check the address/,
    );
    assert.match(
      (await team({ ...unreachable, DATABASE_URL: 'mysql://127.0.0.1/x' })).stderr,
      /must be the URL of a PostgreSQL database/,
    );
  });
  it('says what is missing for a platform', async () => {
    const team = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
      cli(['team', ...args], {
        environment: { DATABASE_URL: 'postgres://127.0.0.1:1/x', AGENT_HARBOR_API_KEY: KEY, ...environment },
      });
    const objects = ['--objects', 's3://bucket'];
    assert.match((await team([...objects, '--name', 'x'])).stderr, /Leave out --config and --name/);
    assert.match((await team(['--url', 'https://x.example.com'])).stderr, /Pass --objects too/);
    const hosts = ['--agents-url', 'https://*.example.com'];
    assert.match((await team(hosts)).stderr, /Pass --objects too/);
    assert.match((await team(objects)).stderr, /Set AGENT_HARBOR_SECRETS_KEY to 32 bytes in hexadecimal/);
    const secretsKey = { AGENT_HARBOR_SECRETS_KEY: 'ab'.repeat(32) };
    assert.match(
      (await team(objects, { ...secretsKey, AGENT_HARBOR_API_KEY: 'short' })).stderr,
      /at least 16/,
    );
    const badUrl = await team([...objects, '--url', 'agents.example.com'], secretsKey);
    assert.match(badUrl.stderr, /AGENT_HARBOR_URL must be an http:\/\/ or https:\/\/ address/);
    const badHosts = await team([...objects, '--agents-url', 'https://agents.example.com'], secretsKey);
    assert.match(badHosts.stderr, /AGENT_HARBOR_AGENTS_URL must be an address with \* for the ID/);
    assert.match(
      (await team(objects, secretsKey)).stderr,
      /No PostgreSQL answers at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check the address/,
    );
  });

  describe('as a platform', () => {
    let postgres: Postgres;
    before(async function () {
      postgres = await requirePostgres(this);
    });
    after(() => postgres?.[Symbol.asyncDispose]());

    it('is waited for when it purges', async () => {
      await using folder = await temporaryFolder();
      const team = platformTeam({ database: await postgres.createDatabase(), objects: folder.path });
      await using node = await team.start();
      const id = randomUUID();
      const run = { id, name: 'of ada', run_type: 'chain', session_name: 'purged', start_time: new Date() };
      const asTeam = { 'x-api-key': team.key, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...run, end_time: run.start_time, inputs: {} });
      const sent = await fetch(`${node.url}/runs`, { method: 'POST', headers: asTeam, body });
      assert.equal(sent.status, 202, await sent.text());
      await eventually('the trace is stored', () => node.client.tracing.runs.get({ params: { run_id: id } }));
      const args = ['purge', '--project', 'purged', '--ids', id, '--yes', '--wait', '--connection', node.url];
      const { stdout, stderr } = await cli(args, { environment: { LANGSMITH_API_KEY: team.key } });
      assert.match(stdout, /^Verified: 1 trace with 1 span deleted/, stderr);
    });

    it('announces on each server what changes on another', async () => {
      await using folder = await temporaryFolder();
      const team = platformTeam({ database: await postgres.createDatabase(), objects: folder.path });
      await using one = await team.start();
      await using other = await team.start();
      const heard: string[] = [];
      const leave = new AbortController();
      const following = followChanges(other.client, {
        signal: leave.signal,
        onChanges: (changes) => heard.push(...changes.map(({ resource, id }) => `${resource} ${id}`)),
      });
      const announced = async () => {
        const { id } = await one.client.tracing.sessions.create({ body: { name: randomUUID() } });
        return eventually('it is announced', () => heard.includes(`project ${id}`), Boolean, 2_000);
      };
      await eventually('the other server is heard', () => announced().catch(() => false), Boolean, 30_000);
      leave.abort();
      await following;
    });
  });
});
