import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { followChanges } from '../../src/extension/connections/follow-changes.ts';
import { ANCESTORS_GRAPH } from '../support/ancestors.ts';
import { cli, startCli } from '../support/cli.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { skip } from '../support/skip.ts';
import { makeTeam, TEAM_KEY } from '../support/team.ts';
import { platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually, FinalFailure } from '../support/wait.ts';

const KEY = 'a-key-of-sixteen-and-more';
const Values = z.object({ value: z.string() });

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
  it('refuses an object store without a name, which would be the current folder', async () => {
    const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/x', AGENT_HARBOR_API_KEY: KEY };
    const { stderr } = await cli(['team', '--objects', ''], { environment });
    assert.match(stderr, /Pass --objects with the URL of an S3 bucket, or with a folder\./);
  });

  it('passes options on to its server, which checks them, and prefers them to variables', async function () {
    const wrong = await cli(['team', '--objects', 's3://bucket', '--jobs-per-runtime', 'many'], {
      environment: {
        DATABASE_URL: 'postgres://127.0.0.1:1/x',
        AGENT_HARBOR_API_KEY: KEY,
        AGENT_HARBOR_SECRETS_KEY: 'ab'.repeat(32),
      },
    });
    assert.match(wrong.stderr, /--jobs-per-runtime must be a whole number from 1 to 10000, not 'many'/);
    await using postgres = await requirePostgres(this);
    await using team = await makeTeam(await postgres.createDatabase());
    const { url, cli: running } = await team.start(
      { AGENT_HARBOR_JOBS_PER_RUNTIME: '4', AGENT_HARBOR_LOG_LEVEL: 'error' },
      undefined,
      ['--jobs-per-runtime', '3'],
    );
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^lg_api_workers_max 3$/m);
    assert.equal(running.stderr, '');
  });

  it('says what is missing for a platform', async () => {
    const team = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
      cli(['team', ...args], {
        environment: { DATABASE_URL: 'postgres://127.0.0.1:1/x', AGENT_HARBOR_API_KEY: KEY, ...environment },
      });
    const objects = ['--objects', 's3://bucket'];
    assert.match((await team([...objects, '--name', 'x'])).stderr, /Omit --config and --name/);
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

  describe('keeps its secrets', () => {
    let postgres: Postgres;
    before(async function () {
      if (process.platform !== 'linux') skip(this, 'other systems have no /proc');
      postgres = await requirePostgres(this);
    });
    after(() => postgres?.[Symbol.asyncDispose]());

    it('from its graphs, which can read how it and its server were started', async () => {
      const database = await postgres.createDatabase();
      const files = {
        'langgraph.json': '{"graphs": {"steps": "./graph.mjs:graph"}}',
        'graph.mjs': ANCESTORS_GRAPH,
      };
      await using team = await makeTeam(
        database,
        await graphProject({ line: 'langgraph-1.7', files, empty: true }),
      );
      const earlier = 'postgres://given.earlier/x';
      for (const how of [
        { environment: {} },
        {
          environment: { DATABASE_URL: 'postgres://of.the.graphs/x' },
          // The last one is used, as of any option.
          args: ['--database', earlier, `--database=${database}`],
        },
      ]) {
        const node = await team.start(how.environment, undefined, how.args);
        const { value } = Values.parse(
          await node.client.runs.wait(null, 'steps', { input: { value: null } }),
        );
        assert.match(value, /server\.js\n[\s\S]*cli\.js\nteam\n/, 'the command and its server are above');
        for (const secret of [database, earlier, TEAM_KEY]) assert.ok(!value.includes(secret), value);
        assert.equal(value.includes('of.the.graphs'), how.args !== undefined);
        await node.cli.interrupt();
      }
    });

    it('only in the memory of each server of a platform', async () => {
      await using folder = await temporaryFolder();
      const database = await postgres.createDatabase();
      const key = path.join(folder.path, 'key');
      await writeFile(key, 'ab'.repeat(32));
      const port = await unusedPort();
      await using running = startCli(
        [
          'team',
          '--objects',
          path.join(folder.path, 'objects'),
          '--port',
          String(port),
          '--data-dir',
          path.join(folder.path, 'data'),
        ],
        {
          environment: {
            DATABASE_URL: database,
            AGENT_HARBOR_API_KEY: KEY,
            AGENT_HARBOR_SECRETS_KEY_FILE: key,
            AWS_SECRET_ACCESS_KEY: 'of-the-store',
          },
        },
      );
      await eventually(
        'the platform is served',
        async () => {
          if (running.child.exitCode !== null) throw new FinalFailure(running.stderr);
          return (await fetch(`http://127.0.0.1:${port}/ok`)).ok;
        },
        Boolean,
        60_000,
      );
      const command = running.child.pid ?? 0;
      const children = await readFile(`/proc/${command}/task/${command}/children`, 'utf8');
      for (const pid of [command, Number(children)]) {
        const known = await Promise.all(
          ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
        );
        assert.match(known.join('\0'), /(?:server|cli)\.js[\s\S]*PATH=/);
        for (const secret of [database, KEY, 'ab'.repeat(32), 'of-the-store'])
          assert.ok(!known.join('\0').includes(secret), known.join('\n').replaceAll('\0', '\n'));
      }
    });
  });

  describe('as a platform', () => {
    let postgres: Postgres;
    before(async function () {
      postgres = await requirePostgres(this);
    });
    after(() => postgres?.[Symbol.asyncDispose]());

    it('verifies a purge that a command waits for', async () => {
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
