import assert from 'node:assert/strict';
import { cli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { datasetText } from '../support/evaluated-project.ts';
import { PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { requireEnvironment, servablePythonProject } from '../support/python-projects.ts';

const GRAPH = `from typing import TypedDict
from langgraph.graph import START, StateGraph


class State(TypedDict, total=False):
    question: str
    messages: list


async def reply(state: State) -> State:
    call = {"id": "1", "name": "look_up", "args": {"q": state["question"]}}
    return {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": [call]}]}


graph = StateGraph(State).add_node("reply", reply).add_edge(START, "reply").compile()
`;
const EVALUATORS = `from agentevals.trajectory.match import create_trajectory_match_evaluator
from openevals.exact import exact_match as compare


def helper(one, two, three):
    raise AssertionError("Not an evaluator.")


def exact(outputs: dict, reference_outputs: dict):
    return compare(outputs=outputs["messages"][1]["tool_calls"], reference_outputs=reference_outputs["messages"][1]["tool_calls"])


async def steps(run, example) -> int:
    return len([child for child in run.child_runs if child.name == "reply"])


trajectory = create_trajectory_match_evaluator(trajectory_match_mode="strict")
`;

describe('evaluators of openevals and agentevals', function () {
  this.timeout(5 * 60_000);
  let data: DataFolder;
  before(async () => {
    data = await dataFolder();
  });
  after(() => data?.[Symbol.asyncDispose]());

  it('judge runs of a Python graph as they are', async function () {
    const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    const example = (q: string) => ({
      inputs: { question: 'pier' },
      outputs: {
        messages: [
          { role: 'user', content: '?' },
          { role: 'assistant', content: '', tool_calls: [{ id: '1', name: 'look_up', args: { q } }] },
        ],
      },
    });
    await using project = await servablePythonProject(python, {
      empty: true,
      files: {
        'agent.py': GRAPH,
        'evals/checks.py': EVALUATORS,
        'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
        'judged.dataset.jsonl': datasetText(
          { name: 'same', ...example('pier') },
          { name: 'other', ...example('ship') },
        ),
      },
    });
    const args = ['eval', '--json', '--data-dir', data.path];
    const { stdout, stderr } = await cli(args, { cwd: project.folder });
    assert.notEqual(stdout, '', stderr);
    const scores = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ label, runs }) => [
        label,
        Object.fromEntries(
          runs[0].scores.map(({ key, score }: { key: string; score: unknown }) => [key, Number(score)]),
        ),
      ]);
    assert.deepEqual(
      Object.fromEntries(scores),
      {
        same: { exact_match: 1, steps: 1, trajectory_strict_match: 1 },
        other: { exact_match: 0, steps: 1, trajectory_strict_match: 0 },
      },
      stderr,
    );
  });
});
