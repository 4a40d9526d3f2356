import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { cli } from '../support/cli.ts';
import { distFolder } from '../support/dist.ts';
import { GITHUB_CLI } from '../support/github-cli.ts';
import { modelOrigin } from '../support/model-origin.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Job, readJob, runJob } from '../support/workflow-job.ts';

const run = promisify(execFile);
const RIGHT = 'return { limits: { warm: 20 } };';

describe('the workflow that proves on pull requests', function () {
  this.timeout(180_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let project: string;
  let proving: Job;
  let code: string;

  before(async function () {
    if (process.platform === 'win32') skip(this, 'its runner is Linux');
    folder = await temporaryFolder();
    project = path.join(folder.path, 'agent');
    await cp(path.join(projectRoot, 'test/fixtures/planted-bugs'), project, { recursive: true });
    await symlink(path.join(projectRoot, 'node_modules'), path.join(project, 'node_modules'), 'junction');
    await using origin = await modelOrigin();
    const config = {
      graphs: { agent: './agent.mjs:graph' },
      dependencies: ['.'],
      env: { MODEL_ORIGIN: origin.url },
    };
    await writeFile(path.join(project, 'langgraph.json'), JSON.stringify(config));
    code = await readFile(path.join(project, 'agent.mjs'), 'utf8');
    await writeFile(path.join(project, 'agent.mjs'), code.replace(RIGHT, 'throw new Error("no limits");'));
    const input = '{"question": "Weather in Rome"}';
    const args = ['run', 'agent', '--input', input, '--record', 'no limits.agentrun'];
    const recorded = await cli([...args, '--data-dir', path.join(folder.path, 'data')], { cwd: project });
    assert.equal(recorded.code, 1, recorded.stderr);
    for (const git of [
      ['init', '--quiet'],
      ['add', '*.agentrun'],
    ])
      await run('git', git, { cwd: project });
    // Commands of the path, as `npm link` would put them there.
    const start = `#!/bin/sh\nexec '${process.execPath}' '${path.join(distFolder, 'cli.js')}' "$@"\n`;
    for (const [name, text] of Object.entries({ gh: GITHUB_CLI, 'agent-harbor': start })) {
      await writeFile(path.join(folder.path, name), text, { mode: 0o755 });
    }
    const job = await readJob(path.join(projectRoot, 'examples/ci/prove.yml'));
    // The previous steps install packages that are already here.
    proving = { ...job, steps: job.steps.filter(({ name }) => name !== undefined) };
    assert.deepEqual(
      proving.steps.map(({ name }) => name),
      ['Prove', 'Show the proofs'],
    );
  });
  after(() => folder?.[Symbol.asyncDispose]());

  /** The result of the job on the current code, and its comment on the pull request. */
  async function ofPullRequest() {
    const summary = path.join(folder.path, 'summary.md');
    const comment = path.join(folder.path, 'comment.md');
    for (const file of [summary, comment, path.join(folder.path, 'proofs.md')]) await writeFile(file, '');
    const { failed, output } = await runJob(proving, {
      workspace: project,
      environment: {
        ...process.env,
        PATH: `${folder.path}${path.delimiter}${process.env.PATH}`,
        AGENT_HARBOR_DATA_DIR: path.join(folder.path, 'runner'),
        RUNNER_TEMP: folder.path,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_REPOSITORY: 'ada/weather',
        COMMENT: comment,
      },
      expressions: {
        'github.token': 'token',
        'github.event.pull_request.head.repo.full_name': 'ada/weather',
        'github.event.pull_request.number': '7',
      },
      actions: {},
    });
    const [shown, told] = [await readFile(summary, 'utf8'), await readFile(comment, 'utf8')];
    assert.equal(told, shown);
    return { failed, output, told };
  }

  it('fails while a failure remains, and says where', async () => {
    const { failed, output, told } = await ofPullRequest();
    assert.deepEqual(failed, ['Prove'], output);
    assert.match(told, /^❌ \*\*no limits\.agentrun\*\*\n\n```\nStill failing.*\nError: no limits/m);
  });

  it('passes when it is gone', async () => {
    await writeFile(path.join(project, 'agent.mjs'), code);
    const { failed, output, told } = await ofPullRequest();
    assert.deepEqual(failed, [], output);
    assert.match(told, /^✅ \*\*no limits\.agentrun\*\*\n\n```\nFixed: /m);
  });
});
