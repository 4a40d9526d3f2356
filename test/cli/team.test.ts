import assert from 'node:assert/strict';
import { cli } from '../support/cli.ts';
import { graphProject } from '../support/projects.ts';

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
    assert.match((await team(unreachable)).stderr, /The database cannot be used: .*ECONNREFUSED/);
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
    assert.match((await team(objects)).stderr, /Set AGENT_HARBOR_SECRETS_KEY to 32 bytes in hexadecimal/);
    const secretsKey = { AGENT_HARBOR_SECRETS_KEY: 'ab'.repeat(32) };
    assert.match(
      (await team(objects, { ...secretsKey, AGENT_HARBOR_API_KEY: 'short' })).stderr,
      /at least 16/,
    );
    const badUrl = await team([...objects, '--url', 'agents.example.com'], secretsKey);
    assert.match(badUrl.stderr, /AGENT_HARBOR_URL must be an http:\/\/ or https:\/\/ address/);
    assert.match((await team(objects, secretsKey)).stderr, /The database cannot be used: .*ECONNREFUSED/);
  });
});
