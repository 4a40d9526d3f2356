import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';

/** Graphs that keep a log, and separately every third note, as deltas; `deep` has a subgraph that does so. */
export const DELTA_GRAPHS = `
import { Annotation, DeltaChannel, StateGraph } from '@langchain/langgraph';
const append = (state, writes) => (state ?? []).concat(...writes);
const rebuilt = (snapshotFrequency) => () =>
  new DeltaChannel(append, { snapshotFrequency, initialValueFactory: () => [] });
const State = Annotation.Root({
  log: rebuilt(1000),
  often: rebuilt(4),
  seldom: rebuilt(1000),
  note: Annotation(),
});
const noted = (state, who) => ({
  log: [state.note + ' ' + who],
  often: [state.note + ' ' + who],
  ...(state.note === '1' ? { seldom: [state.note + ' ' + who] } : {}),
});
const steps = new StateGraph(State)
  .addNode('first', (state) => noted(state, 'first'))
  .addNode('second', (state) => noted(state, 'second'))
  .addEdge('__start__', 'first')
  .addEdge('first', 'second');
export const log = steps.compile();
export const often = new StateGraph(Annotation.Root({ often: rebuilt(4), note: Annotation() }))
  .addNode('first', ({ note }) => ({ often: [note] }))
  .addEdge('__start__', 'first')
  .compile();
export const deep = new StateGraph(Annotation.Root({ note: Annotation(), seen: Annotation() }))
  .addNode('part', steps.compile({ checkpointer: true }))
  .addNode('after', ({ note }) => ({ seen: note }))
  .addEdge('__start__', 'part')
  .addEdge('part', 'after')
  .compile();
`;

/** The same log in Python. */
export const DELTA_GRAPHS_PYTHON = `
from typing import Annotated, TypedDict
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import StateGraph

def append(state, writes):
    return [*(state or []), *(item for write in writes for item in write)]

class State(TypedDict, total=False):
    log: Annotated[list, DeltaChannel(append, snapshot_frequency=1000)]
    often: Annotated[list, DeltaChannel(append, snapshot_frequency=4)]
    seldom: Annotated[list, DeltaChannel(append, snapshot_frequency=1000)]
    note: str

def noted(state, who):
    said = [f"{state['note']} {who}"]
    return {"log": said, "often": said, **({"seldom": said} if state["note"] == "1" else {})}

steps = StateGraph(State)
steps.add_node("first", lambda state: noted(state, "first"))
steps.add_node("second", lambda state: noted(state, "second"))
steps.add_edge("__start__", "first")
steps.add_edge("first", "second")
log = steps.compile()

class Often(TypedDict, total=False):
    often: Annotated[list, DeltaChannel(append, snapshot_frequency=4)]
    note: str

single = StateGraph(Often)
single.add_node("first", lambda state: {"often": [state["note"]]})
single.add_edge("__start__", "first")
often = single.compile()

class Outer(TypedDict, total=False):
    note: str
    seen: str

outer = StateGraph(Outer)
outer.add_node("part", steps.compile(checkpointer=True))
outer.add_node("after", lambda state: {"seen": state["note"]})
outer.add_edge("__start__", "part")
outer.add_edge("part", "after")
deep = outer.compile()
`;

const LAST = 9;
const IN_PART = { checkpoint_ns: 'part' };

/** The values that one run of `log` adds. */
const said = (note: string) => [`${note} first`, `${note} second`];

/** Threads whose states are rebuilt from their writes, on a server that prunes them. */
export class DeltaThreads {
  readonly client: Client;
  constructor(apiUrl: string) {
    this.client = new Client({ apiUrl, apiKey: null });
  }

  /** A thread after some runs. */
  async make(graph: string): Promise<string> {
    const { thread_id } = await this.client.threads.create();
    for (let note = 1; note <= LAST; note++) await this.#run(thread_id, graph, String(note));
    return thread_id;
  }

  /** Reads the newest state of a thread, and all values in its history by checkpoint. */
  async #read(threadId: string, checkpoint?: { checkpoint_ns: string }) {
    const { threads } = this.client;
    const history = await threads.getHistory(threadId, {
      limit: 1000,
      ...(checkpoint === undefined ? {} : { checkpoint }),
    });
    const values = new Map(history.map((state) => [state.checkpoint.checkpoint_id, state.values]));
    return { newest: history[0]?.values as Record<string, unknown>, values };
  }

  async #run(threadId: string, graph: string, note: string): Promise<unknown> {
    return this.client.runs.wait(threadId, graph, { input: { note } });
  }

  /** Prunes a thread of `log`, and checks its state, the rest of its history, and its next run. */
  async pruneAndRun(threadId: string, prune: () => Promise<unknown>): Promise<void> {
    const before = await this.#read(threadId);
    const log = Array.from({ length: LAST }, (_, index) => said(String(index + 1))).flat();
    assert.deepEqual(before.newest, { log, often: log, seldom: said('1'), note: String(LAST) });
    await prune();
    const { values } = await this.client.threads.getState(threadId);
    assert.deepEqual(values, before.newest);
    await this.#compareHistory(threadId, before.values);
    await this.#run(threadId, 'log', 'more');
    assert.deepEqual((await this.client.threads.getState(threadId)).values, {
      log: [...log, ...said('more')],
      often: [...log, ...said('more')],
      seldom: said('1'),
      note: 'more',
    });
  }

  /**
   * Checks that the rest of a history shows the same values as before. @returns the current and the previous
   * number of checkpoints
   */
  async #compareHistory(
    threadId: string,
    before: ReadonlyMap<unknown, unknown>,
    checkpoint?: { checkpoint_ns: string },
  ): Promise<{ left: number; of: number }> {
    const after = await this.#read(threadId, checkpoint);
    for (const [id, values] of after.values) assert.deepEqual(values, before.get(id), String(id));
    return { left: after.values.size, of: before.size };
  }

  /** Prunes a thread of `often`, and checks that only the checkpoints remain that its newest state needs. */
  async pruneToSnapshot(threadId: string): Promise<void> {
    const before = await this.#read(threadId);
    await this.prune(threadId);
    assert.deepEqual((await this.client.threads.getState(threadId)).values, before.newest);
    const { left, of } = await this.#compareHistory(threadId, before.values);
    assert.ok(left < of / 2, `${left} of ${of} are left`);
    await this.#run(threadId, 'often', 'more');
    const { values } = await this.client.threads.getState<{ often: string[] }>(threadId);
    assert.deepEqual(values.often, [...(before.newest.often as string[]), 'more']);
  }

  /** Prunes a thread of `deep`, whose subgraph keeps its own state from run to run. */
  async pruneSubgraph(threadId: string): Promise<void> {
    const before = await this.#read(threadId, IN_PART);
    assert.equal((before.newest.log as unknown[]).length, LAST * 2);
    await this.prune(threadId);
    const { left } = await this.#compareHistory(threadId, before.values, IN_PART);
    assert.ok(left > 0);
    assert.equal((await this.#read(threadId)).values.size, 1);
    await this.#run(threadId, 'deep', 'more');
    const { newest } = await this.#read(threadId, IN_PART);
    assert.deepEqual(newest.log, [...(before.newest.log as string[]), ...said('more')]);
  }

  /** Prunes a thread whose newest state was made from an earlier checkpoint: the other branch is removed. */
  async pruneFork(threadId: string): Promise<void> {
    const { threads } = this.client;
    const history = await threads.getHistory<{ log: string[] }>(threadId, { limit: 1000 });
    const early = history.find(({ values, next }) => values.log?.length === 6 && next.length === 0);
    assert.ok(early?.checkpoint.checkpoint_id);
    await threads.updateState(threadId, {
      values: { log: ['by hand'] },
      checkpointId: early.checkpoint.checkpoint_id,
      asNode: 'second',
    });
    const before = await this.#read(threadId);
    assert.deepEqual(before.newest.log, [...early.values.log, 'by hand']);
    await this.prune(threadId);
    assert.deepEqual((await threads.getState(threadId)).values, before.newest);
    const { left, of } = await this.#compareHistory(threadId, before.values);
    assert.ok(left < of / 2, `${left} of ${of} are left`);
  }

  prune(threadId: string) {
    return this.client.threads.prune([threadId], { strategy: 'keep_latest' });
  }
}
