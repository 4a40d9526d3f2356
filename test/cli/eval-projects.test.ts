import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { findDataset } from '../../src/client/find-dataset.ts';
import { parseDatasetFile } from '../../src/evaluation/dataset-file.ts';
import { uploadDataset } from '../../src/evaluation/upload-dataset.ts';
import { cli } from '../support/cli.ts';
import { type CliPlatform, cliPlatform } from '../support/cli-platform.ts';
import { datasetText, evaluatedProject } from '../support/evaluated-project.ts';

const exampleOf = (question: string) => ({
  inputs: { question },
  outputs: { answer: question.toUpperCase() },
});
const HEADER = { dataset: { pass: { steps: null } } };

describe('agent-harbor eval in several projects', function () {
  this.timeout(120_000);
  let platform: CliPlatform;
  let client: Client;

  before(async () => {
    platform = await cliPlatform();
    client = platform.client;
  });
  after(async () => {
    await platform[Symbol.asyncDispose]();
  });

  const evaluate = (folder: string, ...args: string[]) =>
    cli(['eval', ...args, '--data-dir', platform.dataDir], { cwd: folder });
  const projectWith = (name: string, ...questions: string[]) =>
    evaluatedProject({
      [`evals/${name}.dataset.jsonl`]: datasetText(HEADER, ...questions.map(exampleOf)),
    });

  /** The questions of each dataset whose name starts with a text, by its name. */
  async function readDatasets(prefix: string): Promise<Record<string, unknown[]>> {
    const found = await client.datasets.list({ query: { name_contains: prefix } });
    const entries = found.map(async ({ id, name }) => {
      const examples = await client.examples.list({ query: { dataset: id } });
      return [name, examples.map(({ inputs }) => inputs?.question).toSorted()] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  it('keeps their datasets with the same name apart, and says which belongs to which', async () => {
    await using first = await projectWith('apart', 'one', 'two');
    await using second = await projectWith('apart', 'three');
    const own = `apart (${path.basename(second.folder)})`;
    assert.doesNotMatch((await evaluate(first.folder)).stdout, /dataset apart/);
    const { code, stdout } = await evaluate(second.folder);
    assert.equal(code, 0, stdout);
    assert.ok(stdout.includes(`dataset ${own}`), stdout);
    for (const { folder } of [first, second]) await evaluate(folder);
    assert.deepEqual(await readDatasets('apart'), { apart: ['one', 'two'], [own]: ['three'] });
  });

  it('creates one dataset for clones of one repository that evaluate at once, as shards do', async () => {
    await using first = await projectWith('shards', 'one', 'two', 'three');
    await using second = await projectWith('shards', 'one', 'two', 'three');
    const remotes = [
      'https://ada:token@git.example.com/acme/agent.git',
      'git@git.example.com:acme/agent.git',
    ];
    for (const [at, { folder }] of [first, second].entries()) {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
      git('init', '--quiet');
      git('remote', 'add', 'origin', remotes[at] ?? '');
    }
    const ended = await Promise.all([first, second].map(({ folder }) => evaluate(folder)));
    for (const { code, stdout, stderr } of ended) assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(await readDatasets('shards'), { shards: ['one', 'three', 'two'] });
  });

  it('creates one dataset for a file that several processes upload at the same moment', async () => {
    const text = datasetText(...['one', 'two', 'three'].map(exampleOf));
    const file = parseDatasetFile('/project/evals/moment.dataset.jsonl', text);
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => uploadDataset(client, file, { identity: '/project', place: 'x.dataset.jsonl' })),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.deepEqual(await readDatasets('moment'), { moment: ['one', 'three', 'two'] });
  });

  it('refuses two datasets with the same name in a project, even when only one is requested', async () => {
    await using project = await evaluatedProject({
      'evals/twice.dataset.jsonl': datasetText(exampleOf('one')),
      'more/twice.dataset.jsonl': datasetText(exampleOf('two')),
    });
    const { code, stderr } = await evaluate(project.folder, 'evals/twice.dataset.jsonl');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /evals.twice\.dataset\.jsonl and .*more.twice\.dataset\.jsonl are both named 'twice'\./,
    );
  });

  it('does not take a branch of another project as the baseline, on a dataset that both use', async () => {
    await client.datasets.create({ body: { name: 'shared' } });
    await using first = await projectWith('shared', 'one');
    await using second = await projectWith('shared', 'two');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: first.folder,
        stdio: 'pipe',
      });
    git('init', '--quiet', '--initial-branch', 'trunk');
    git('add', '.');
    git('commit', '--quiet', '--message', 'Answer in capitals');
    for (const { folder } of [first, second]) assert.equal((await evaluate(folder)).code, 0);
    const { stderr } = await evaluate(second.folder, '--baseline', 'trunk');
    assert.match(stderr, /'trunk' is neither an experiment on 'shared' nor a branch or commit\./);
    assert.equal((await findDataset(client, 'shared'))?.example_count, 2);
  });
});
