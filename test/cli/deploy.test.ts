import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { projectRoot } from '../support/cache.ts';
import { cli } from '../support/cli.ts';
import { npmLinkedProject, slowGraphFile, smallProject } from '../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { bundle } from '../support/dist.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const Result = z.looseObject({
  deployment_id: z.string(),
  revision_id: z.string(),
  status: z.string(),
  deployment_url: z.string().nullish(),
  reason: z.string().nullish(),
});

describe('agent-harbor deploy', function () {
  this.timeout(180_000);
  let server: ServerProcess;
  let repository: GitRepository;

  beforeEach(async () => {
    server = await serverProcess();
    repository = await gitRepository();
    await repository.push(await smallProject('committed'));
  });
  afterEach(async () => {
    await repository?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const here = () => ['--data-dir', server.dataDir];
  const config = () => ['--config', path.join(repository.workDir, 'langgraph.json')];
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(repository.workDir, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  };
  const answer = async (url: string | null | undefined) => {
    const sdk = new LangGraphClient({ apiUrl: url ?? '', apiKey: server.apiKey });
    return sdk.runs.wait(null, 'slow', { input: { ticks: 1 } });
  };

  /** Runs the deploy script of `examples/ci` as a CI system does. @returns its standard output */
  async function runScript(name: string): Promise<string> {
    const bin = path.join(server.dataDir, 'bin');
    await mkdir(bin);
    const command = `#!/bin/sh\nexec '${process.execPath}' '${bundle('cli.js')}' "$@"\n`;
    await writeFile(path.join(bin, 'agent-harbor'), command, { mode: 0o755 });
    const { stdout } = await promisify(execFile)(
      'sh',
      [path.join(projectRoot, 'examples/ci/deploy.sh'), name],
      {
        cwd: repository.workDir,
        env: {
          ...process.env,
          PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
          DEPLOY_TO: 'local',
          AGENT_HARBOR_DATA_DIR: server.dataDir,
        },
      },
    );
    return stdout.trim();
  }

  it('deploys the folder with uncommitted changes; logs, rollback and delete work', async () => {
    await write({ ...slowGraphFile('not committed'), '.env': 'A_SECRET=hush hush hush\nPORT=1\n' });
    const first = await cli(['deploy', ...config(), ...here(), '--name', 'cli', '--wait', '--json']);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /, with (?:2 uncommitted changes|1 uncommitted change)\./);
    assert.match(first.stderr, /Variables from .*: A_SECRET\./);
    assert.match(first.stderr, /npm ci/);
    assert.doesNotMatch(first.stderr, /Use agent-harbor serve/, 'this server runs until it is stopped');
    const one = Result.parse(JSON.parse(first.stdout));
    assert.equal(one.status, 'DEPLOYED');
    assert.deepEqual(await answer(one.deployment_url), { ticks: 1, greeting: 'not committed' });

    await write(slowGraphFile('changed again'));
    const ran = await cli(['run', 'slow', '--input', '{"ticks": 1}', '--deployment', 'cli', ...here()]);
    assert.equal(ran.code, 0, ran.stderr);

    const second = await cli(['deploy', ...config(), ...here(), '--name', 'cli', '--wait']);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, /Updated 'cli'/);
    assert.match(second.stderr, /Reusing the packages of an earlier build/);
    assert.equal(second.stdout, `${one.deployment_url}\n`);

    await write({ 'src/slow.mjs': 'this is not JavaScript' });
    const failed = await cli(['deploy', ...config(), ...here(), '--name', 'cli', '--wait', '--json']);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /error: Revision .* ended with DEPLOY_FAILED: Graph 'slow' failed to load/);
    const result = Result.parse(JSON.parse(failed.stdout));
    assert.equal(result.status, 'DEPLOY_FAILED');
    assert.ok(failed.stderr.includes(`The previous revision is still available at ${one.deployment_url}.\n`));
    const place = `${path.join('src', 'slow.mjs')}:1:`;
    assert.match((result.reason ?? '').replace(place, 'PLACE '), /PLACE \d+ could not be loaded/);
    assert.ok(!failed.stdout.includes(server.dataDir));
    // Once in the log that is shown, and once as the reason.
    assert.equal(failed.stderr.split(place).length, 3, failed.stderr);
    assert.deepEqual(await answer(one.deployment_url), { ticks: 1, greeting: 'changed again' });

    const listed = await cli(['deployments', ...here()]);
    assert.match(listed.stdout, new RegExp(`cli +READY +DEPLOY_FAILED +folder +${one.deployment_url}`));
    const revisions = await cli(['revisions', 'cli', ...here()]);
    assert.match(revisions.stdout, /^REVISION .* CREATED +NOTE\n.* \d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/);
    assert.doesNotMatch(revisions.stdout, /…/);
    assert.match(revisions.stdout, /DEPLOY_FAILED[\s\S]*DEPLOYED.*live\n.*DEPLOYED/);
    const build = await cli(['logs', 'cli', '--build', '--revision', one.revision_id, ...here()]);
    assert.match(build.stdout, /npm ci/);
    const log = await eventually(
      'the log to say it',
      () => cli(['logs', 'cli', ...here()]),
      ({ stdout }) => stdout.includes('is deployed'),
    );
    for (const { stdout, stderr } of [first, second, failed, listed, revisions, build, log]) {
      assert.ok(!stdout.includes('hush') && !stderr.includes('hush'));
    }

    const { deployment_id } = one;
    const [graphs, broken] = await Promise.all(
      [one.revision_id, result.revision_id].map(async (revision_id) => {
        const params = { deployment_id, revision_id };
        const { files } = await server.client.controlPlane.revisionFiles.list({ params });
        assert.ok(!files.some(({ path: name }) => name === '.env' || name.startsWith('node_modules/')));
        return files.find(({ path: name }) => name === 'src/slow.mjs')?.text;
      }),
    );
    assert.match(graphs ?? '', /not committed/);
    assert.equal(broken, 'this is not JavaScript');

    const back = await cli(['rollback', 'cli', '--wait', ...here()]);
    assert.equal(back.code, 0, back.stderr);
    assert.deepEqual(await answer(one.deployment_url), { ticks: 1, greeting: 'not committed' });

    if (process.platform !== 'win32') {
      await write(slowGraphFile('from the script'));
      assert.equal(await runScript('cli'), one.deployment_url);
      assert.deepEqual(await answer(one.deployment_url), { ticks: 1, greeting: 'from the script' });
    }

    assert.equal((await cli(['delete', 'cli', ...here()])).code, 2);
    const deleted = await cli(['delete', 'cli', '--yes', ...here()]);
    assert.equal(deleted.code, 0, deleted.stderr);
    const gone = await cli(['logs', 'cli', ...here()]);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /Deployment 'cli' not found/);
  });

  it('takes the default name if the environment has an empty one, as CI systems do', async () => {
    const environment = { LANGSMITH_DEPLOYMENT_NAME: '' };
    const made = await cli(['deploy', ...here(), '--repo', 'file:///nowhere'], { environment });
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stderr, /Created 'nowhere'/);
  });

  it('deploys to another server by URL, with a key from the environment or a file', async () => {
    await write(await npmLinkedProject('uploaded'));
    const environment = { LANGSMITH_API_KEY: server.apiKey };
    const remote = ['--connection', server.baseUrl];
    const made = await cli(['deploy', ...config(), ...remote, '--name', 'far', '--wait', '--json'], {
      environment,
    });
    assert.equal(made.code, 0, made.stderr);
    const { deployment_url } = Result.parse(JSON.parse(made.stdout));
    assert.deepEqual(await answer(deployment_url), { ticks: 1, greeting: 'uploaded' });

    const none = await cli(['deployments', ...remote], { environment: { LANGSMITH_API_KEY: '' } });
    assert.equal(none.code, 1);
    assert.match(none.stderr, /No API key for/);

    const file = path.join(server.dataDir, 'connections.json');
    await writeFile(file, JSON.stringify({ far: { url: server.baseUrl, api_key: server.apiKey } }), {
      mode: 0o644,
    });
    const stored = { environment: { AGENT_HARBOR_CONNECTIONS: file, LANGSMITH_API_KEY: '' } };
    if (process.platform !== 'win32') {
      const refused = await cli(['deployments', '--connection', 'far'], stored);
      assert.match(refused.stderr, /can be read by other users/);
      await chmod(file, 0o600);
    }
    const listed = await cli(['deployments', '--connection', 'far', '--json'], stored);
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /"name":"far"/);
    const deleted = await cli(['delete', 'far', '--yes', ...remote], { environment });
    assert.equal(deleted.code, 0, deleted.stderr);
  });

  it('deploys a repository, and explains invalid options', async () => {
    const commit = await repository.push(await npmLinkedProject('committed'));
    await write(slowGraphFile('not committed'));
    await using elsewhere = await temporaryFolder();
    await writeFile(path.join(elsewhere.path, '.env'), 'NOT_OF_THE_REPOSITORY=1\n');
    const from = ['deploy', ...here(), '--repo', repository.url, '--ref', 'main', '--wait', '--json'];
    const made = await cli([...from, '--name', 'repo'], { cwd: elsewhere.path });
    assert.equal(made.code, 0, made.stderr);
    assert.ok(!made.stderr.includes('NOT_OF_THE_REPOSITORY'), made.stderr);
    const { deployment_url } = Result.parse(JSON.parse(made.stdout));
    const failed = await cli([...from, '--config', 'no-such-agent'], { cwd: elsewhere.path });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /no-such-agent\/langgraph\.json not found in the source/);
    const asked = await cli(['run', 'agent', 'hello', '--deployment', 'no-such-agent', ...here()]);
    assert.match(
      asked.stderr,
      /'no-such-agent' is not available, because its revision ended with BUILD_FAILED: .*not found in the source.*\. Read the log: agent-harbor logs no-such-agent --build --follow/,
    );
    const revisions = await cli(['revisions', 'no-such-agent', ...here()]);
    assert.match(revisions.stdout, new RegExp(`BUILD_FAILED +${commit.slice(0, 12)} `));
    const listed = await cli(['deployments', ...here()]);
    assert.match(listed.stdout, /no-such-agent +NOT DEPLOYED +BUILD_FAILED +git/);
    assert.match(listed.stdout, /repo +READY +DEPLOYED +git/);
    assert.deepEqual(await answer(deployment_url), { ticks: 1, greeting: 'committed' });
    const other = await cli([
      'deploy',
      ...config(),
      ...here(),
      '--name',
      'repo',
      '--repo',
      'https://example.com/x.git',
    ]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /is deployed from file:.*Choose another name/);
    const queued = await cli([
      'deploy',
      ...here(),
      '--name',
      'later',
      '--repo',
      'file:///nowhere',
      '--drain',
    ]);
    const follow = /Follow its build: agent-harbor (logs later --build --follow) --data-dir /.exec(
      queued.stderr,
    );
    assert.equal(queued.code, 0, queued.stderr);
    assert.match((await cli(['deployments', ...here(), '--json'])).stdout, /"drain_minutes":60[,}]/);
    assert.equal((await cli([...(follow?.[1]?.split(' ').slice(0, 3) ?? []), ...here()])).code, 0);
    assert.equal((await cli(['threads', 'list', ...config(), ...here()])).code, 0);
    const folder = path.basename(repository.workDir);
    const clash = await cli(['deploy', ...here(), '--name', folder, '--repo', 'file:///nowhere']);
    assert.match(clash.stderr, /The agent of a folder has this name too\. '.*' now means the deployment;/);
    assert.doesNotMatch(queued.stderr, /has this name too/);
    const broken = path.join(elsewhere.path, 'broken.env');
    await writeFile(broken, 'GREETING=hello\nBROKEN LINE\n');
    const cases: [string[], RegExp][] = [
      [['--ref', 'main'], /--ref needs --repo/],
      [['--build-on-push'], /--build-on-push needs --repo/],
      [['--image', 'agent', '--drain'], /Use either --image or --drain/],
      [['--drain', '0'], /Must be a whole number of minutes between 1 and 10080/],
      [['--env', 'nowhere.env'], /nowhere\.env/],
      [['--env-file', broken], /Use --env .*broken\.env instead/],
      [['--env', broken], /broken\.env:2: Not a variable/],
      [['--connection', 'http://agents.example.com'], /The key would be sent unencrypted/],
      [['--connection', 'mars'], /'mars' is not a connection/],
      [
        ['--name', 'bad', '--repo', 'file:///nowhere', '--wait'],
        /BUILD_FAILED: git could not fetch file:\/\/\/nowhere/,
      ],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await cli(['deploy', ...config(), ...here(), ...args]);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    }
  });
});
