import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { cli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { datasetText, evaluatedProject } from '../support/evaluated-project.ts';
import { evaluationPackages, PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { requireEnvironment, servablePythonProject } from '../support/python-projects.ts';

const PYTHON_GRAPH = `from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph


async def reply(state: MessagesState) -> dict:
    call = {"id": "1", "name": "look_up", "args": {"q": "pier"}}
    return {"messages": [AIMessage("", tool_calls=[call])]}


async def close(state: MessagesState) -> dict:
    return {"messages": [AIMessage("north")]}


builder = StateGraph(MessagesState).add_node("reply", reply).add_node("close", close)
graph = builder.add_edge(START, "reply").add_edge("reply", "close").compile()
`;
const PYTHON_EVALUATORS = `from agentevals.trajectory.match import create_trajectory_match_evaluator
from openevals.exact import exact_match as compare


def helper(one, two, three):
    raise AssertionError("Not an evaluator.")


def exact(outputs: dict, reference_outputs: dict):
    return compare(
        outputs=outputs["messages"][-1]["content"], reference_outputs=reference_outputs["messages"][-1]["content"]
    )


async def steps(run, example) -> int:
    return len([child for child in run.child_runs if child.name == "reply"])


trajectory = create_trajectory_match_evaluator(trajectory_match_mode="strict")
`;

const GRAPH = `import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
const call = { id: '1', name: 'look_up', args: { q: 'pier' } };
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('reply', async () => ({ messages: [new AIMessage({ content: '', tool_calls: [call] })] }))
  .addNode('close', async () => ({ messages: [new AIMessage('north')] }))
  .addEdge('__start__', 'reply')
  .addEdge('reply', 'close')
  .compile();
`;
const EVALUATORS = `import { createTrajectoryMatchEvaluator } from 'agentevals';
import { exactMatch } from 'openevals';
export const exact = ({ outputs, referenceOutputs }) => exactMatch({ outputs: outputs.messages.at(-1).content, referenceOutputs: referenceOutputs.messages.at(-1).content });
export const steps = async ({ run }) => run.child_runs.filter(({ name }) => name === 'reply').length;
export const trajectory = createTrajectoryMatchEvaluator({ trajectoryMatchMode: 'strict' });
`;

const ASKED = { type: 'human', content: 'Where is the pier?' };
const CALLED = { type: 'ai', content: '', tool_calls: [{ id: '1', name: 'look_up', args: { q: 'pier' } }] };
const ANSWERED = { type: 'ai', content: 'north', tool_calls: [] };
const inputs = { messages: [ASKED] };

/**
 * References with messages in the form of states and in OpenAI's form, including some that the graphs fail.
 */
const DATASET = datasetText(
  { name: 'same', inputs, outputs: { messages: [ASKED, CALLED, ANSWERED] } },
  {
    name: 'same for OpenAI',
    inputs,
    outputs: {
      messages: [
        { role: 'user', content: 'Where is the pier?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: '1', type: 'function', function: { name: 'look_up', arguments: '{"q": "pier"}' } },
          ],
        },
        { role: 'assistant', content: 'north' },
      ],
    },
  },
  {
    name: 'other call',
    inputs,
    outputs: {
      messages: [
        ASKED,
        { ...CALLED, tool_calls: [{ id: '1', name: 'look_up', args: { q: 'ship' } }] },
        ANSWERED,
      ],
    },
  },
  { name: 'other order', inputs, outputs: { messages: [ASKED, ANSWERED, CALLED] } },
);
const SCORES = {
  same: { exact_match: 1, steps: 1, trajectory_strict_match: 1 },
  'same for OpenAI': { exact_match: 1, steps: 1, trajectory_strict_match: 1 },
  'other call': { exact_match: 1, steps: 1, trajectory_strict_match: 0 },
  'other order': { exact_match: 0, steps: 1, trajectory_strict_match: 0 },
};

/** A trace per run, with its scores. */
const EXPERIMENT = { traces: 4, keys: ['exact_match', 'pass', 'steps', 'trajectory_strict_match'] };

const Line = z.object({
  label: z.string(),
  runs: z.tuple([
    z.object({ scores: z.array(z.object({ key: z.string(), score: z.union([z.number(), z.boolean()]) })) }),
  ]),
});

const Experiments = z.array(
  z.looseObject({ run_count: z.number(), feedback_stats: z.record(z.string(), z.unknown()).nullable() }),
);

describe('evaluators of openevals and agentevals', function () {
  this.timeout(5 * 60_000);
  let data: DataFolder;
  before(async () => {
    data = await dataFolder();
  });
  after(() => data?.[Symbol.asyncDispose]());

  /** The scores of every example of a project by its name. */
  async function readScores(folder: string): Promise<Record<string, Record<string, number>>> {
    const { stdout, stderr } = await cli(['eval', '--json', '--data-dir', data.path], { cwd: folder });
    assert.notEqual(stdout, '', stderr);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => Line.parse(JSON.parse(line)));
    return Object.fromEntries(
      lines.map(({ label, runs: [{ scores }] }) => [
        label,
        Object.fromEntries(scores.map(({ key, score }) => [key, Number(score)])),
      ]),
    );
  }

  /** The content of the only experiment on a dataset: its traces, and the keys of its feedback. */
  async function readExperiment(dataset: string): Promise<{ traces: number; keys: string[] }> {
    const { stdout, stderr } = await cli([
      ...['datasets', 'experiments', dataset, '--json'],
      ...['--data-dir', data.path],
    ]);
    assert.notEqual(stdout, '', stderr);
    const [experiment, ...others] = Experiments.parse(JSON.parse(stdout));
    assert.ok(experiment);
    assert.deepEqual(others, []);
    return { traces: experiment.run_count, keys: Object.keys(experiment.feedback_stats ?? {}).sort() };
  }

  it('judge runs of a JavaScript graph without a wrapper', async () => {
    const files = { 'agent.mjs': GRAPH, 'evals/checks.ts': EVALUATORS, 'calls.dataset.jsonl': DATASET };
    await using project = await evaluatedProject(files, await evaluationPackages());
    assert.deepEqual(await readScores(project.folder), SCORES);
    assert.deepEqual(await readExperiment('calls'), EXPERIMENT);
  });

  it('judge runs of a Python graph without a wrapper', async function () {
    const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    await using project = await servablePythonProject(python, {
      empty: true,
      files: {
        'agent.py': PYTHON_GRAPH,
        'evals/checks.py': PYTHON_EVALUATORS,
        'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
        'judged.dataset.jsonl': DATASET,
      },
    });
    assert.deepEqual(await readScores(project.folder), SCORES);
    assert.deepEqual(await readExperiment('judged'), EXPERIMENT);
  });

  it('that are written in Python say what they raised, and which package could not be imported', async function () {
    const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    await using project = await servablePythonProject(python, {
      empty: true,
      files: {
        'agent.py': PYTHON_GRAPH,
        'evals/checks.py': 'def right(outputs):\n    return outputs["answer"] == "north"\n',
        'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
        'raising.dataset.jsonl': datasetText({ name: 'one', inputs }),
      },
    });
    const run = () => cli(['eval', '--data-dir', data.path], { cwd: project.folder });
    assert.match((await run()).stdout, /✗ one\n +right: KeyError: 'answer'\n/);
    const { folder } = project;
    // A package that was installed without what it needs.
    await mkdir(path.join(folder, 'broken/site-packages/halfeval'), { recursive: true });
    await writeFile(path.join(folder, 'broken/site-packages/halfeval/__init__.py'), 'import not_there\n');
    const search = `import sys\nsys.path.append(${JSON.stringify(path.join(folder, 'broken/site-packages'))})\n`;
    await writeFile(path.join(folder, 'evals/checks.py'), `${search}from halfeval import judge\n`);
    assert.match(
      (await run()).stderr,
      /checks\.py imports 'halfeval', which imports 'not_there', which is not installed in /,
    );
  });
});
