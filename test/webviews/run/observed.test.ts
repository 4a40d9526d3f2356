import assert from 'node:assert/strict';
import { toDiagram } from '../../../src/extension/graphs/diagram.ts';
import type { Diagram, PastStep } from '../../../src/extension/panels/run/messages.ts';
import { TaskEvents } from '../../../src/extension/panels/run/task-events.ts';
import { withPast } from '../../../src/webviews/run/executed-tasks.ts';
import { observe } from '../../../src/webviews/run/side/observed.ts';
import { roomFor, shownEdges } from '../../../src/webviews/run/side/observed-diagram.ts';
import { play } from '../../../src/webviews/run/transcript.ts';
import { emptyTranscript, type Transcript } from '../../../src/webviews/run/transcript-model.ts';
import { type RunRecord, readRecording, recordedLines } from '../../support/streams/recordings.ts';

const nodes = (...ids: string[]) => ids.map((id) => ({ id }));
const edge = (source: string, target: string, conditional = false) => ({ source, target, conditional });

/** The graph as LangGraph for Python draws it: targets of a Command, a Send or a router without targets have no edge. */
const folded = toDiagram({
  nodes: nodes('__start__', 'plan', 'work', 'check', 'close', 'never', '__end__'),
  edges: [edge('__start__', 'plan'), edge('plan', '__end__')],
});
/** The graph as LangGraph for JavaScript draws it, with its subgraph: a router without targets leads everywhere. */
const unfolded = toDiagram({
  nodes: nodes('__start__', 'plan', 'work', 'check:sort', 'check:mark', 'close', 'never', '__end__'),
  edges: [
    edge('__start__', 'plan'),
    edge('check:sort', 'check:mark'),
    edge('work', 'check:sort'),
    ...['plan', 'work', 'close', 'never', '__end__'].map((target) => edge('check:mark', target, true)),
    edge('close', '__end__'),
  ],
});

function played(runs: readonly RunRecord[], before = emptyTranscript): Transcript {
  const events = new TaskEvents();
  let now = 0;
  return runs.reduce((transcript, run) => {
    const ids = { run_id: run.scenario, thread_id: 'thread' };
    const tasks = run.events.flatMap((event) => {
      now += 10;
      return events.read(ids.run_id, event, now) ?? [];
    });
    const outcome = run.status === 'error' ? ('error' as const) : ('success' as const);
    const waits = tasks.at(-1)?.phase === 'waiting';
    return play(transcript, [
      { type: 'run-started', ...ids, input: run.input, resume: run.resume },
      ...tasks,
      { type: 'run-ended', run_id: ids.run_id, outcome, duration_ms: 1, next: waits ? ['ask'] : [] },
    ]);
  }, before);
}

const edgesOf = (diagram: Diagram, tasks: Parameters<typeof observe>[1]) =>
  observe(diagram, tasks).edges.map(
    ({ source, target, count, share, isDeclared }) =>
      `${source} → ${target} ${count}× ${Math.round(share * 100)}%${isDeclared ? '' : ' undeclared'}`,
  );

for (const line of recordedLines) {
  describe(`the paths that a graph of ${line.name} took`, () => {
    let runs: RunRecord[];
    const of = (scenario: string) => runs.filter((run) => run.scenario === scenario);
    before(async () => {
      runs = await readRecording(line);
    });

    it('are drawn where a Command, a Send or a router led, with their counts', () => {
      const { tasks } = played(of('ways that are not declared'));
      assert.deepEqual(edgesOf(folded, tasks), [
        '__start__ → plan 1× 100%',
        'plan → work 4× 100% undeclared',
        'work → check 2× 100% undeclared',
        'check → plan 1× 50% undeclared',
        'check → close 1× 50% undeclared',
        'close → __end__ 1× 100% undeclared',
      ]);
      const observed = observe(folded, tasks);
      assert.equal(observed.nodes.get('work')?.runs, 4);
      assert.equal(observed.nodes.get('never'), undefined);
    });

    it('lead into the nodes of a subgraph that is drawn, and out of them', () => {
      assert.deepEqual(edgesOf(unfolded, played(of('ways that are not declared')).tasks), [
        '__start__ → plan 1× 100%',
        'plan → work 4× 100% undeclared',
        'work → check:sort 2× 100%',
        'check:mark → plan 1× 50%',
        'check:mark → close 1× 50%',
        'close → __end__ 1× 100%',
        'check:sort → check:mark 2× 100%',
      ]);
    });

    it('continue where a question was answered, and count a node that ran twice for that once', () => {
      const diagram = toDiagram({
        nodes: nodes('__start__', 'draft', 'ask', 'publish', '__end__'),
        edges: [],
      });
      const { tasks } = played(of('a question and its answer'));
      assert.deepEqual(
        edgesOf(diagram, tasks).map((text) => text.split(' 1×')[0]),
        ['__start__ → draft', 'draft → ask', 'ask → publish', 'publish → __end__'],
      );
    });

    it('count the tokens of a message once, for the node that said it and its subgraph', () => {
      const diagram = toDiagram({
        nodes: nodes('announce', 'child', 'close', 'child:model'),
        edges: [],
      });
      const { nodes: known } = observe(diagram, played(of('an agent in a subgraph')).tasks);
      assert.ok((known.get('child:model')?.tokens ?? 0) > 0);
      assert.equal(known.get('child')?.tokens, known.get('child:model')?.tokens);
      assert.equal(known.get('announce')?.tokens, 0);
      assert.ok((known.get('child')?.ms ?? 0) > (known.get('announce')?.ms ?? 0));
    });

    it('count failures', () => {
      const diagram = toDiagram({ nodes: nodes('speak', 'fall'), edges: [] });
      const { nodes: known } = observe(diagram, played(of('an error')).tasks);
      assert.deepEqual([known.get('speak')?.errors, known.get('fall')?.errors], [0, 1]);
    });
  });
}

describe('the lines in a diagram', () => {
  const diagram = toDiagram({
    nodes: nodes('__start__', 'plan', 'work', 'rest', '__end__'),
    edges: [
      edge('__start__', 'plan'),
      edge('plan', 'work', true),
      edge('plan', 'rest', true),
      edge('work', '__end__'),
      edge('rest', '__end__'),
    ],
  });
  const step = (node: string, origin: PastStep['origin'], isLast = false, turn = 0): PastStep => ({
    origin,
    isLast,
    tasks: [{ task_id: `${node} ${turn}`, node, phase: 'done' }],
  });
  const turn = (number: number, ...through: string[]) =>
    through.map((node, index) =>
      step(node, index === 0 ? 'start' : 'step', index === through.length - 1, number),
    );
  const textsAfter = (past: readonly PastStep[]) =>
    shownEdges(diagram, observe(diagram, withPast(past, []))).map(
      ({ source, target, text }) => `${source} → ${target} ${text ?? 'nothing'}`,
    );

  it('show how often each was taken, solid or not, and its share where there was a choice', () => {
    assert.deepEqual(textsAfter(turn(1, 'plan', 'work')), [
      '__start__ → plan 1×',
      'plan → work 1× 100%',
      'plan → rest nothing',
      'work → __end__ 1×',
      'rest → __end__ nothing',
    ]);
    const turns = [
      ...turn(1, 'plan', 'work'),
      ...turn(2, 'plan', 'rest'),
      ...turn(3, 'plan', 'work'),
      ...turn(4, 'rest'),
    ];
    assert.deepEqual(textsAfter(turns), [
      '__start__ → plan 3× 75%',
      'plan → work 2× 67%',
      'plan → rest 1× 33%',
      'work → __end__ 2×',
      'rest → __end__ 2×',
      '__start__ → rest 1× 25%',
    ]);
  });

  it('have room for their labels before any of them is taken', () => {
    const roomAfter = (past: readonly PastStep[]) =>
      roomFor(diagram, shownEdges(diagram, observe(diagram, withPast(past, []))));
    const once = roomAfter(turn(1, 'plan', 'work'));
    assert.deepEqual(roomAfter([...turn(1, 'plan', 'work'), ...turn(2, 'plan', 'rest')]), once);
    assert.deepEqual(
      roomAfter([]).edges.map(({ label }) => label),
      once.edges.map(() => undefined),
    );
  });
});

describe('the paths of earlier runs of a thread', () => {
  const step = (node: string, origin: PastStep['origin'], isLast = false): PastStep => ({
    origin,
    isLast,
    tasks: [{ task_id: `id of ${node}`, node, phase: 'done' }],
  });
  const diagram = toDiagram({
    nodes: nodes('__start__', 'draft', 'ask', 'publish', '__end__'),
    edges: [edge('ask', '__end__'), edge('ask', 'publish')],
  });
  const task = (node: string, phase: 'running' | 'done') =>
    ({ type: 'task', run_id: 'run', task_id: `id of ${node}`, node, phase }) as const;

  it('continue with what the panel has seen, counting each task once', () => {
    const { tasks } = play(emptyTranscript, [
      { type: 'run-started', run_id: 'run', thread_id: 'thread', resume: 'yes' },
      task('ask', 'running'),
      task('ask', 'done'),
      task('publish', 'running'),
      task('publish', 'done'),
      { type: 'run-ended', run_id: 'run', outcome: 'success', duration_ms: 1 },
    ]);
    const expected = [
      '__start__ → draft 1× 100% undeclared',
      'draft → ask 1× 100% undeclared',
      'ask → publish 1× 100%',
      'publish → __end__ 1× 100% undeclared',
    ];
    const waiting = [step('draft', 'start'), step('ask', 'step')];
    assert.deepEqual(edgesOf(diagram, withPast(waiting, tasks)), expected);
    const over = [...waiting, step('publish', 'step', true)];
    assert.deepEqual(edgesOf(diagram, withPast(over, tasks)), expected);
    assert.deepEqual(edgesOf(diagram, withPast(over, [])), expected);
  });

  it('include no edge to a step that followed an edited state', () => {
    const past = [step('draft', 'start'), step('publish', 'elsewhere', true)];
    assert.deepEqual(edgesOf(diagram, withPast(past, [])), [
      '__start__ → draft 1× 100% undeclared',
      'publish → __end__ 1× 100% undeclared',
    ]);
  });
});
