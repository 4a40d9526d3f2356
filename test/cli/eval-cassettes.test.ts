import assert from 'node:assert/strict';
import path from 'node:path';
import { cli, startCli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { datasetText, type EvaluatedProject, evaluatedProject } from '../support/evaluated-project.ts';
import { type ModelOrigin, modelOrigin } from '../support/model-origin.ts';
import { eventually } from '../support/wait.ts';

/** A graph that calls a model, asks a person for permission, and calls the model again. */
const graphOf = (prompt: string) => `import { Annotation, interrupt, StateGraph } from '@langchain/langgraph';
const { MODEL_URL, API_KEY } = process.env;
if (!API_KEY) throw new Error('API_KEY is not set.');
const State = Annotation.Root({ question: Annotation, draft: Annotation, answer: Annotation });
async function ask(content) {
  const body = JSON.stringify({ messages: [{ role: 'user', content }] });
  const headers = { authorization: API_KEY, 'content-type': 'application/json' };
  const response = await fetch(MODEL_URL + '/v1/chat/completions', { method: 'POST', body, headers });
  return (await response.json()).choices[0].message.content;
}
export const graph = new StateGraph(State)
  .addNode('write', async ({ question }) => ({ draft: await ask('${prompt}' + question) }))
  .addNode('send', async ({ draft }) => ({ answer: (await ask(draft)) + interrupt('Send it?') }))
  .addEdge('__start__', 'write')
  .addEdge('write', 'send')
  .compile();
`;
const CASSETTE = 'evals/cassettes/pier.agentrun';
const EXAMPLE = {
  inputs: { question: 'pier' },
  outputs: { answer: 'answer 3, yes' },
  cassette: 'cassettes/pier.agentrun',
};

describe('agent-harbor eval with cassettes', function () {
  this.timeout(120_000);
  let origin: ModelOrigin;
  let data: DataFolder;
  let project: EvaluatedProject;

  const runWith = (environment: Record<string, string>, ...args: string[]) =>
    cli([...args, '--data-dir', data.path], { cwd: project.folder, environment });
  const run = (...args: string[]) => runWith({}, ...args);
  const env = () => `MODEL_URL=${origin.url}\nAPI_KEY=sk-secret\n`;

  before(async () => {
    origin = await modelOrigin();
    data = await dataFolder();
    project = await evaluatedProject({
      'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' }, env: '.env' }),
      'agent.mjs': graphOf('Draft: '),
      '.env': env(),
      'evals/checks.ts':
        'export const correct = ({ outputs, referenceOutputs }) => outputs.answer === referenceOutputs.answer;\n',
      'evals/taped.dataset.jsonl': datasetText(EXAMPLE),
      'evals/cassettes/.keep': '',
    });
    const first = await run(
      'run',
      'agent',
      '--input',
      JSON.stringify(EXAMPLE.inputs),
      '--record',
      'first.agentrun',
    );
    const thread = /thread ([0-9a-f-]{36})/.exec(first.stderr)?.[1] ?? '';
    const file = path.join(project.folder, CASSETTE);
    const second = await run('run', 'agent', '--thread', thread, '--resume', ', yes', '--record', file);
    assert.equal(second.code, 0, second.stderr);
  });
  after(async () => {
    await origin?.close();
    await data?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
  });

  it('answers model requests and questions from the cassette, and sends no request', async () => {
    const asked = origin.requests;
    await project.write({ '.env': `MODEL_URL=${origin.url}\n` });
    // In CI, secrets are empty for pull requests from forks.
    const { code, stdout, stderr } = await runWith({ API_KEY: '' }, 'eval');
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /✓ pier .*correct 1/);
    assert.equal(origin.requests, asked);
  });

  it('needs no keys when only examples outside the split have no cassette', async () => {
    await project.write({
      '.env': `MODEL_URL=${origin.url}\n`,
      'evals/taped.dataset.jsonl': datasetText(
        { ...EXAMPLE, split: 'taped' },
        { inputs: { question: 'quay' }, split: 'live' },
      ),
    });
    const { code, stdout, stderr } = await runWith({ API_KEY: '' }, 'eval', '--split', 'taped');
    await project.write({ 'evals/taped.dataset.jsonl': datasetText(EXAMPLE) });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /✓ pier .*correct 1/);
  });

  it('gives graphs the variables that they lack to load, also when another client serves them', async () => {
    // A copy of .env.example looks like this.
    await project.write({ '.env': `MODEL_URL=${origin.url}\nAPI_KEY=\n` });
    await using server = startCli(['dev', '--port', '0', '--data-dir', data.path], { cwd: project.folder });
    await eventually(
      'the graph has failed',
      () => server.stdout + server.stderr,
      (text) => text.includes('API_KEY is not set'),
    );
    const { code, stdout, stderr } = await run('eval');
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /✓ pier .*correct 1/);
    await server.interrupt();
  });

  it('fails an example at the request that the cassette does not answer, and names it', async () => {
    await project.write({
      'agent.mjs': graphOf('Reworded: '),
      'evals/taped.dataset.jsonl': datasetText(EXAMPLE, {
        ...{ ...EXAMPLE, name: 'gone' },
        cassette: 'cassettes/gone.agentrun',
      }),
    });
    const { code, stdout } = await run('eval');
    assert.equal(code, 1);
    assert.match(stdout, /✗ pier\n.*Node 'write' sent a request that was not recorded: POST /);
    assert.match(stdout, /\n {8}- "Draft: pier"\n {8}\+ "Reworded: pier"\n/);
    assert.match(stdout, /✗ gone\n.*The cassette .*gone\.agentrun does not exist\. Record it with /);
  });

  it('calls the model with --no-cassettes', async () => {
    const asked = origin.requests;
    await project.write({ '.env': env() });
    const { stdout } = await run('eval', '--no-cassettes');
    // The graph now stops at its question.
    assert.match(stdout, /✗ pier .*\n.*The graph asked "Send it\?" and waits .*\n.*correct: false/);
    assert.equal(origin.requests, asked + 4);
  });

  it('compares an example whose replay ended before its last recorded run', async () => {
    const dataset = { 'evals/taped.dataset.jsonl': datasetText(EXAMPLE) };
    await project.write({ ...dataset, 'agent.mjs': graphOf('Reworded: ') });
    const { stdout } = await run('eval');
    const experiment = /experiment (\S+)/.exec(stdout)?.[1] ?? '';
    await project.write({ 'agent.mjs': graphOf('Draft: ') });
    const fixed = await run('eval', '--baseline', experiment);
    assert.match(fixed.stdout, new RegExp(`against ${experiment}: 0 regressed, 1 improved`));
  });
});
