import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { dataFolder } from '../support/data-folder.ts';
import { CAPITALS, datasetText } from '../support/evaluated-project.ts';
import { GITHUB_CLI } from '../support/github-cli.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Job, type RanJob, readJob, runJob, type Step } from '../support/workflow-job.ts';

const run = promisify(execFile);

const REPOSITORY = 'ada/refunds';
const HELLO = { inputs: { question: 'hello' }, outputs: { answer: 'HELLO' } };
const BYE = { inputs: { question: 'bye' }, outputs: { answer: 'BYE' } };

/** The agent on its main branch. */
const AGENT = {
  '.gitignore': 'node_modules\n',
  'agent.mjs': CAPITALS,
  'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' } }),
  'package.json': JSON.stringify({
    name: 'refunds',
    type: 'module',
    dependencies: { '@langchain/core': '1.4.0', '@langchain/langgraph': '1.7.3' },
  }),
  'evals/basics.dataset.jsonl': datasetText(HELLO),
  'evals/checks.mjs':
    'export const correct = ({ outputs, referenceOutputs }) => outputs.answer === referenceOutputs.answer;\n',
};

/** The folder in which the workflow keeps the command line. */
const TOOLS = '.agent-harbor';

interface PullRequest {
  readonly files: Readonly<Record<string, string>>;
  readonly from?: string;
}

/** The outcome of the workflow, as a pull request shows it. */
interface Seen extends RanJob {
  readonly summary: string;
  readonly comment: string | undefined;
  readonly junit: string | undefined;
}

describe('the workflow that evaluates pull requests', function () {
  this.timeout(10 * 60_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let evaluating: Job;
  let tools: string;

  before(async function () {
    if (process.platform === 'win32') skip(this, 'its runner is Linux');
    folder = await temporaryFolder();
    tools = path.join(folder.path, 'prefix/bin');
    await write(path.join(folder.path, 'main'), AGENT);
    await write(tools, { gh: GITHUB_CLI });
    await run('chmod', ['+x', path.join(tools, 'gh')]);
    await run('npm', ['install', '--package-lock-only'], { cwd: path.join(folder.path, 'main') });
    await git('main', 'init', '--quiet', '--initial-branch', 'main');
    await commit('main');
    const job = await readJob(path.join(projectRoot, 'examples/ci/evaluate.yml'));
    // Once for all pull requests, since it takes longer than the rest.
    const installing = job.steps.filter((step) => JSON.stringify(step).includes(TOOLS));
    const steps = installing.map(withInstalledPackages);
    const { failed, output } = await runSteps('tools', { ...job, steps }, { files: {} });
    assert.deepEqual(failed, [], output);
    evaluating = { ...job, steps: job.steps.filter((step) => !installing.includes(step)) };
  });
  after(() => folder?.[Symbol.asyncDispose]());

  const git = (name: string, ...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: path.join(folder.path, name),
    });

  async function commit(name: string): Promise<void> {
    await git(name, 'add', '.');
    await git(name, 'commit', '--quiet', '--message', 'Change the agent');
  }

  /** Runs steps of the workflow for a pull request in a separate folder. */
  async function runSteps(name: string, job: Job, { files, from = REPOSITORY }: PullRequest): Promise<Seen> {
    const at = (...parts: string[]) => path.join(folder.path, name, ...parts);
    for (const each of ['temp', 'workspace']) await mkdir(at(each), { recursive: true });
    await using data = await dataFolder();
    let junit: string | undefined;
    const ran = await runJob(job, {
      workspace: at('workspace'),
      environment: {
        ...process.env,
        AGENT_HARBOR_DATA_DIR: data.path,
        CI: 'true',
        COMMENT: at('comment.md'),
        GITHUB_ACTIONS: 'true',
        GITHUB_BASE_REF: 'main',
        GITHUB_REPOSITORY: REPOSITORY,
        GITHUB_STEP_SUMMARY: at('summary.md'),
        PATH: [tools, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
        RUNNER_TEMP: at('temp'),
        npm_config_prefer_offline: 'true',
        npm_config_prefix: path.dirname(tools),
      },
      expressions: {
        'github.event.pull_request.head.repo.full_name': from,
        'github.event.pull_request.number': '7',
        'github.token': 'token',
        'runner.temp': at('temp'),
        'secrets.OPENAI_API_KEY': '',
        'vars.AGENT_HARBOR_REF': 'v1',
        'vars.AGENT_HARBOR_REPOSITORY': 'agent-harbor',
      },
      actions: {
        'actions/setup-node': async () => {},
        'actions/checkout': async (parameters) => {
          if (parameters.repository !== undefined)
            return await copySources(at('workspace', parameters.path ?? ''));
          assert.equal(parameters['fetch-depth'], '0');
          await git('.', 'clone', '--quiet', at('../main'), at('workspace'));
          await git(path.join(name, 'workspace'), 'checkout', '--quiet', '--detach');
          await write(at('workspace'), files);
          await commit(path.join(name, 'workspace'));
        },
        'actions/upload-artifact': async (parameters) => {
          junit = await readIfThere(parameters.path ?? '');
        },
      },
    });
    const [summary = '', comment] = await Promise.all(
      ['summary.md', 'comment.md'].map((it) => readIfThere(at(it))),
    );
    return { ...ran, summary, comment, junit };
  }

  it('fails a pull request that makes an example worse, and names the example', async () => {
    const worse = CAPITALS.replace('toUpperCase', 'toLowerCase');
    const { failed, output, summary, comment, junit } = await runSteps('worse', evaluating, {
      files: { 'agent.mjs': worse },
    });
    assert.deepEqual(failed, ['Evaluate'], output);
    assert.match(summary, /^### ❌ basics: 0 of 1 examples passed$/m);
    assert.match(summary, /^- regressed: hello$/m);
    assert.equal(comment, summary);
    assert.match(junit ?? '', /tests="1" failures="1"/);
  });

  it('passes a pull request that makes none worse', async () => {
    const files = { 'evals/basics.dataset.jsonl': datasetText(HELLO, BYE) };
    const { failed, output, summary, comment, junit } = await runSteps('better', evaluating, { files });
    assert.deepEqual(failed, [], output);
    assert.match(summary, /^### ✅ basics: 2 of 2 examples passed$/m);
    assert.match(summary, /^Compared with `origin\/main .*`: 0 regressions, 0 improvements\.$/m);
    assert.equal(comment, summary);
    assert.match(junit ?? '', /tests="2" failures="0"/);
  });

  it('passes a pull request from a fork, which may not comment', async () => {
    const files = { 'README.md': 'An agent.\n' };
    const { failed, output, summary, comment } = await runSteps('fork', evaluating, {
      files,
      from: 'bob/refunds',
    });
    assert.deepEqual(failed, [], output);
    assert.match(summary, /^### ✅ basics: 1 of 1 examples passed$/m);
    assert.equal(comment, undefined);
  });
});

/** Links the packages that these tests run with, where a step would install them again for half a minute. */
function withInstalledPackages(step: Step): Step {
  if (step.run === undefined) return step;
  assert.match(step.run, / npm ci && npm run build /);
  const link = `ln -s '${path.join(projectRoot, 'node_modules')}' node_modules`;
  return { ...step, run: step.run.replace('npm ci', link) };
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** This repository as it would be checked out, including uncommitted files. */
async function copySources(folder: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: projectRoot, maxBuffer: 64 * 1_048_576 });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await cp(path.join(projectRoot, file), path.join(folder, file));
  }
}
