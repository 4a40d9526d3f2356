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
import { patience } from '../support/wait.ts';

const fixtures = path.join(projectRoot, 'test/fixtures/test-plugins');

const ENTRIES = { vitest: 'vitest/vitest.mjs', jest: 'jest/bin/jest.js' };

/** Three processes at once, or as many as there are files. */
const VITEST = [
  'run',
  ...['--pool=forks', '--poolOptions.forks.minForks=3', '--poolOptions.forks.maxForks=3'],
  // The plugin makes dataset and experiment in a hook, which may take long on a busy machine.
  ...['hookTimeout', 'testTimeout'].map((limit) => `--${limit}=${60_000 * patience}`),
];

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** An experiment: which of its examples passed, and which did not, by their input. */
interface Experiment {
  readonly name: string;
  readonly passed: readonly unknown[];
  readonly failed: readonly unknown[];
}

describe('the plugins of langsmith for test runners', function () {
  this.timeout(5 * 60_000);
  let platform: Platform;
  let client: Client;
  beforeEach(async () => {
    platform = await startPlatform();
    client = new Client({ apiUrl: platform.url, apiKey: platform.workspace.key });
  });
  afterEach(() => platform?.close());

  function run(file: string, args: string[], cwd: string, variables: NodeJS.ProcessEnv): Promise<Ended> {
    const env = {
      ...process.env,
      NO_COLOR: '1',
      LANGSMITH_ENDPOINT: platform.url,
      LANGSMITH_API_KEY: platform.workspace.key,
      LANGSMITH_TRACING: 'true',
      LANGSMITH_TEST_SUITE: 'squares',
      ...variables,
    };
    return new Promise((resolve) => {
      execFile(file, args, { cwd, env, timeout: 120_000 * patience }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
      });
    });
  }

  async function runNode(
    runner: keyof typeof ENTRIES,
    args: string[],
    variables: NodeJS.ProcessEnv = {},
  ): Promise<Ended> {
    await using folder = await temporaryFolder();
    await cp(path.join(fixtures, runner), folder.path, { recursive: true });
    const packages = await evaluationPackages();
    await symlink(packages, path.join(folder.path, 'node_modules'), 'junction');
    const entry = path.join(packages, ENTRIES[runner]);
    return await run(process.execPath, [entry, ...args], folder.path, variables);
  }

  /** Both shards of two at once, as CI starts them. */
  function runShards(runner: keyof typeof ENTRIES, args: string[], variables: NodeJS.ProcessEnv) {
    return Promise.all(
      ['1/2', '2/2'].map((shard) => runNode(runner, [...args, `--shard=${shard}`], variables)),
    );
  }

  async function runPytest(
    python: string,
    args: string[],
    variables: NodeJS.ProcessEnv = {},
  ): Promise<Ended> {
    const plugins = ['-p', 'no:cacheprovider'];
    return await run(python, ['-m', 'pytest', ...plugins, ...args], path.join(fixtures, 'pytest'), variables);
  }

  /** The experiments of the only dataset of a name, whose examples each of them has run once. */
  async function readExperiments(dataset: string): Promise<Experiment[]> {
    const datasets = [];
    for await (const each of client.listDatasets({ datasetName: dataset })) datasets.push(each);
    assert.equal(datasets.length, 1);
    const experiments: Experiment[] = [];
    for await (const { name = '' } of client.listProjects({ referenceDatasetName: dataset })) {
      const examples = new Set();
      const passed: unknown[] = [];
      const failed: unknown[] = [];
      for await (const traced of client.listRuns({ projectName: name, isRoot: true })) {
        examples.add(traced.reference_example_id);
        const { correct, pass } = traced.feedback_stats ?? {};
        assert.ok(correct && pass, JSON.stringify(traced.feedback_stats));
        assert.equal(correct.avg, pass.avg);
        (pass.avg === 1 ? passed : failed).push(traced.inputs.n);
      }
      assert.equal(examples.size, datasets[0]?.example_count);
      experiments.push({ name, passed: passed.sort(), failed });
    }
    return experiments;
  }

  function assertCodes(ended: readonly Ended[], codes: readonly number[]): void {
    const output = ended.map((each) => each.output).join('\n');
    assert.deepEqual(ended.map(({ code }) => code).sort(), codes, output);
  }

  const CUBES = { passed: [11, 12, 21, 22, 32], failed: [31] };
  const QUADS = { passed: [11, 12, 22, 31, 32], failed: [21] };
  const SQUARES = { passed: [0, 1, 2, 4, 5], failed: [3] };

  describe('in parallel processes', () => {
    it('create one dataset and one experiment with its verdicts, with vitest', async () => {
      const { code, output } = await runNode('vitest', VITEST);
      assert.equal(code, 1, output);
      assert.match(output, /FAIL .* the cube of 31,/);
      assert.deepEqual(await readExperiments('cubes'), [{ name: 'cubes of this commit', ...CUBES }]);
    });

    it('create one dataset and one experiment with its verdicts, with jest', async () => {
      const { code, output } = await runNode('jest', []);
      assert.equal(code, 1, output);
      assert.match(output, /● quads › the fourth power of 21,/);
      assert.deepEqual(await readExperiments('quads'), [{ name: 'quads of this commit', ...QUADS }]);
    });

    it('create one dataset and one experiment with its verdicts, with pytest', async function () {
      const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
      const { code, output } = await runPytest(python, ['-n', '3', '.']);
      assert.equal(code, 1, output);
      assert.match(output, /FAILED .*test_square\[3\]/);
      const [experiment, ...others] = await readExperiments('squares');
      assert.deepEqual([experiment?.passed, experiment?.failed], [SQUARES.passed, SQUARES.failed]);
      assert.deepEqual(others, []);
    });
  });

  describe('in shards of CI', () => {
    it('create one dataset, and an experiment for each commit that names it, with vitest', async () => {
      assertCodes(await runShards('vitest', VITEST, { TESTED_COMMIT: 'c0ffee' }), [0, 1]);
      assertCodes(await runShards('vitest', VITEST, { TESTED_COMMIT: 'decade' }), [0, 1]);
      assert.deepEqual((await readExperiments('cubes')).sort(byName), [
        { name: 'cubes of c0ffee', ...CUBES },
        { name: 'cubes of decade', ...CUBES },
      ]);
    });

    it('create one dataset, and an experiment for each commit that names it, with jest', async () => {
      const workers = ['--maxWorkers=2'];
      assertCodes(await runShards('jest', workers, { TESTED_COMMIT: 'c0ffee' }), [0, 1]);
      assertCodes(await runShards('jest', workers, { TESTED_COMMIT: 'decade' }), [0, 1]);
      assert.deepEqual((await readExperiments('quads')).sort(byName), [
        { name: 'quads of c0ffee', ...QUADS },
        { name: 'quads of decade', ...QUADS },
      ]);
    });

    it('create one dataset, and an experiment for each build that names it, with pytest', async function () {
      const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
      const shards = [
        [0, 1, 2],
        [3, 4, 5],
      ].map((numbers) => numbers.map((n) => `test_squares.py::test_square[${n}]`));
      const LANGSMITH_EXPERIMENT = 'nightly';
      const alone = { LANGSMITH_EXPERIMENT, PYTEST_XDIST_TESTRUNUID: 'build 1' };
      assertCodes(await Promise.all(shards.map((tests) => runPytest(python, tests, alone))), [0, 1]);
      const inWorkers = ['-n', '2', '--testrunuid', 'build 2'];
      const both = await Promise.all(
        shards.map((tests) => runPytest(python, [...inWorkers, ...tests], { LANGSMITH_EXPERIMENT })),
      );
      assertCodes(both, [0, 1]);
      const experiments = await readExperiments('squares');
      assert.deepEqual(
        experiments.map(({ passed, failed }) => ({ passed, failed })),
        [SQUARES, SQUARES],
      );
      for (const { name } of experiments) assert.match(name, /^nightly:[\da-f]{8}$/);
    });
  });
});

function byName(one: Experiment, other: Experiment): number {
  return one.name < other.name ? -1 : 1;
}

describe('datasets that the plugins of langsmith create', () => {
  it('are the same for all processes that create them at once; later ones get a conflict', async () => {
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
