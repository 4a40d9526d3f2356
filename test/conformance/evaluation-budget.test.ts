import assert from 'node:assert/strict';
import { cli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { datasetText, evaluatedProject } from '../support/evaluated-project.ts';
import { PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { pricedOrigin } from '../support/priced-origin.ts';
import { requireEnvironment, servablePythonProject } from '../support/python-projects.ts';

/** A graph that asks a model, and traces what it cost as LangSmith's users do, when the question is not "free". */
const GRAPH = `import { Annotation, StateGraph } from '@langchain/langgraph';
import { traceable } from 'langsmith/traceable';
import OpenAI from 'openai';
const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'key' });
const ask = traceable(
  async (content) => {
    const { usage, choices } = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content }] });
    const cost = content === 'free' ? {} : { total_cost: usage.cost };
    const usage_metadata = { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens, ...cost };
    return { answer: choices[0].message.content, usage_metadata };
  },
  { name: 'ask', run_type: 'llm' },
);
const State = Annotation.Root({ question: Annotation, answer: Annotation });
export const graph = new StateGraph(State)
  .addNode('reply', async ({ question }) => ({ answer: (await ask(question)).answer }))
  .addEdge('__start__', 'reply')
  .compile();
`;
const PYTHON_GRAPH = `import os
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langsmith import traceable
from openai import OpenAI

client = OpenAI(base_url=os.environ["MODEL_URL"], api_key="key")


class State(TypedDict, total=False):
    question: str
    answer: str


@traceable(run_type="llm")
def ask(content: str) -> dict:
    completion = client.chat.completions.create(model="m", messages=[{"role": "user", "content": content}])
    usage = completion.usage
    cost = {} if content == "free" else {"total_cost": usage.model_extra["cost"]}
    counts = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    return {"answer": completion.choices[0].message.content, "usage_metadata": {**counts, **cost}}


def reply(state: State) -> State:
    return {"answer": ask(state["question"])["answer"]}


graph = StateGraph(State).add_node("reply", reply).add_edge(START, "reply").compile()
`;

const ask = (question: string) => ({ inputs: { question }, outputs: { answer: 'ok' } });
// Two answers exceed it.
const HEADER = { dataset: { budget: { cost: 0.03 }, concurrency: 1, evaluators: [] } };
const DATASETS = {
  'paid.dataset.jsonl': datasetText(HEADER, ...['one', 'two', 'three'].map(ask)),
  'unknown.dataset.jsonl': datasetText(HEADER, ask('free'), ask('one')),
};

describe('the budget of an evaluation in dollars', function () {
  this.timeout(5 * 60_000);
  let data: DataFolder;
  before(async () => {
    data = await dataFolder();
  });
  after(() => data?.[Symbol.asyncDispose]());

  async function checkBudget(folder: string): Promise<void> {
    const run = (file: string) => cli(['eval', file, '--data-dir', data.path], { cwd: folder });
    const paid = await run('paid.dataset.jsonl');
    assert.equal(paid.code, 1, paid.stderr);
    assert.match(paid.stdout, /✓ one\n.*✓ two\n.*2 of 3 passed, .*200 tokens, \$0\.04\n/);
    assert.match(paid.stdout, /The budget of \$0\.03 is used up\. Raise budget\.cost to run the rest\./);
    const unknown = await run('unknown.dataset.jsonl');
    assert.match(unknown.stdout, /✓ free\n.*1 of 2 passed, .*100 tokens, 1 run without a price\n/);
    assert.match(
      unknown.stdout,
      /A trace contains no cost, or only free calls, so budget\.cost cannot be enforced\. Set budget\.tokens/,
    );
  }

  it('ends a JavaScript graph by the cost in its traces, and says when that is not known', async () => {
    await using origin = await pricedOrigin();
    const config = { graphs: { agent: './agent.mjs:graph' }, env: { MODEL_URL: origin.url } };
    await using project = await evaluatedProject({
      ...DATASETS,
      'agent.mjs': GRAPH,
      'langgraph.json': JSON.stringify(config),
    });
    await checkBudget(project.folder);
  });

  it('ends a Python graph by the cost in its traces, and says when that is not known', async function () {
    const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    await using origin = await pricedOrigin();
    const config = {
      dependencies: ['.'],
      graphs: { agent: './agent.py:graph' },
      env: { MODEL_URL: origin.url },
    };
    await using project = await servablePythonProject(python, {
      empty: true,
      files: { ...DATASETS, 'agent.py': PYTHON_GRAPH, 'langgraph.json': JSON.stringify(config) },
    });
    await checkBudget(project.folder);
  });
});
