import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'langsmith';
import { projectRoot } from '../support/cache.ts';
import { evaluationPackages, PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { requireEnvironment } from '../support/python-projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const fixtures = path.join(projectRoot, 'test/fixtures/test-plugins');

interface Ended {
  readonly code: number;
  readonly output: string;
}

describe('the plugins of langsmith for test runners, in parallel processes', function () {
  this.timeout(5 * 60_000);
  let platform: Platform;
  let client: Client;
  before(async () => {
    platform = await startPlatform();
    client = new Client({ apiUrl: platform.url, apiKey: platform.workspace.key });
  });
  after(() => platform?.close());

  function run(file: string, args: string[], cwd: string): Promise<Ended> {
    const env = {
      ...process.env,
      NO_COLOR: '1',
      LANGSMITH_ENDPOINT: platform.url,
      LANGSMITH_API_KEY: platform.workspace.key,
      LANGSMITH_TRACING: 'true',
      LANGSMITH_TEST_SUITE: 'squares',
    };
    return new Promise((resolve) => {
      execFile(file, args, { cwd, env, timeout: 120_000 }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
      });
    });
  }

  async function runNode(name: 'vitest' | 'jest', entry: string, ...args: string[]): Promise<Ended> {
    await using folder = await temporaryFolder();
    await cp(path.join(fixtures, name), folder.path, { recursive: true });
    const packages = await evaluationPackages();
    await symlink(packages, path.join(folder.path, 'node_modules'), 'junction');
    return await run(process.execPath, [path.join(packages, entry), ...args], folder.path);
  }

  /** What became of a test suite on the platform: its only experiment, and which of its examples failed there. */
  async function readSuite(
    name: string,
    examples: number,
  ): Promise<{ experiment: string; failed: unknown[] }> {
    const datasets = [];
    for await (const dataset of client.listDatasets({ datasetName: name })) datasets.push(dataset);
    assert.equal(datasets.length, 1);
    assert.equal(datasets[0]?.example_count, examples);
    const experiments = [];
    for await (const project of client.listProjects({ referenceDatasetName: name }))
      experiments.push(project);
    assert.equal(experiments.length, 1);
    const experiment = experiments[0]?.name ?? '';
    const ofExamples = new Set();
    const failed: unknown[] = [];
    for await (const traced of client.listRuns({ projectName: experiment, isRoot: true })) {
      ofExamples.add(traced.reference_example_id);
      const { correct, pass } = traced.feedback_stats ?? {};
      assert.ok(correct && pass, JSON.stringify(traced.feedback_stats));
      assert.equal(correct.avg, pass.avg);
      if (pass.avg === 0) failed.push(traced.inputs.n);
    }
    assert.equal(ofExamples.size, examples);
    return { experiment, failed };
  }

  it('make one dataset and one experiment and its verdicts, with vitest', async () => {
    const forks = ['--pool=forks', ...['min', 'max'].map((most) => `--poolOptions.forks.${most}Forks=3`)];
    const { code, output } = await runNode('vitest', 'vitest/vitest.mjs', 'run', ...forks);
    assert.equal(code, 1, output);
    assert.match(output, /FAIL .* the cube of 31,/);
    assert.deepEqual(await readSuite('cubes', 6), { experiment: 'cubes of this commit', failed: [31] });
  });

  it('make one dataset and one experiment and its verdicts, with jest', async () => {
    const { code, output } = await runNode('jest', 'jest/bin/jest.js');
    assert.equal(code, 1, output);
    assert.match(output, /● quads › the fourth power of 21,/);
    assert.deepEqual(await readSuite('quads', 4), { experiment: 'quads of this commit', failed: [21] });
  });

  it('make one dataset and one experiment and its verdicts, with pytest', async function () {
    const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    const plugins = ['-p', 'no:cacheprovider', '-n', '3'];
    const { code, output } = await run(
      python,
      ['-m', 'pytest', ...plugins, '.'],
      path.join(fixtures, 'pytest'),
    );
    assert.equal(code, 1, output);
    assert.match(output, /FAILED .*test_square\[3\]/);
    assert.deepEqual((await readSuite('squares', 6)).failed, [3]);
  });
});

describe('datasets that the plugins of langsmith create', () => {
  it('are the same for all who create them at once; others are told of the conflict', async () => {
    const platform = await startPlatform();
    try {
      const client = new Client({ apiUrl: platform.url, apiKey: platform.workspace.key });
      const create = (metadata?: Record<string, unknown>) =>
        client.createDataset('raced', metadata === undefined ? {} : { metadata });
      const all = await Promise.all([1, 2, 3].map(() => create({ __ls_runner: 'vitest' })));
      assert.equal(new Set(all.map(({ id }) => id)).size, 1);
      await assert.rejects(create(), /already exists/);
    } finally {
      await platform.close();
    }
  });
});
