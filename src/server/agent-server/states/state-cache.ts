import { hash } from 'node:crypto';
import type { CheckpointTuple, StateHistoryResult } from '../../../runtime/protocol/protocol.ts';
import type { TextCachePart } from '../data/text-cache.ts';

/** Checkpoints, with those of their parents that are not among them. */
export interface Checkpoints {
  readonly tuples: CheckpointTuple[];
  readonly parents: CheckpointTuple[];
}

/**
 * Caches the states that a runtime has computed, as text, by everything that they are computed from. A
 * thread's history is read again after every run, but only its newest checkpoints differ. Computing a state
 * takes a round trip to the runtime, where LangGraph computes several hashes per task.
 */
export class StateCache {
  readonly #texts: TextCachePart;
  /** Graphs whose states may differ each time that they are computed, according to the runtime. */
  readonly #unrepeatable = new Set<string>();

  constructor(texts: TextCachePart) {
    this.#texts = texts;
  }

  /**
   * The states of checkpoints, in order.
   * @param question everything else that the states depend on.
   * @param compute asks the runtime for the states that are not cached.
   */
  async read(
    question: { readonly graph_id: string },
    { tuples, parents }: Checkpoints,
    compute: (missing: Checkpoints) => Promise<StateHistoryResult>,
  ): Promise<string[]> {
    // A runtime knows whether the channels of its graph are repeatable, but not those of subgraphs.
    const isNested = tuples.some(({ checkpoint_ns }) => checkpoint_ns !== '');
    if (isNested || this.#unrepeatable.has(question.graph_id)) {
      return statesOf(await compute({ tuples, parents }), tuples);
    }
    const byId = new Map([...parents, ...tuples].map((tuple) => [tuple.checkpoint_id, tuple]));
    const parentOf = (tuple: CheckpointTuple) => byId.get(tuple.parent_checkpoint_id ?? '');
    const questionHash = hashOf(JSON.stringify(question));
    const contents = new Map([...byId.values()].map((tuple) => [tuple, hashOf(JSON.stringify(tuple))]));
    const contentOf = (tuple: CheckpointTuple | undefined) => tuple && contents.get(tuple);
    const keyOf = (tuple: CheckpointTuple) =>
      [questionHash, contentOf(tuple), contentOf(parentOf(tuple))].join();
    const texts = new Map<CheckpointTuple, string | undefined>();
    for (const tuple of tuples) texts.set(tuple, this.#texts.get(keyOf(tuple)));
    const missing = tuples.filter((tuple) => texts.get(tuple) === undefined);
    if (missing.length > 0) {
      const parentsOfMissing = missing.map(parentOf).filter((tuple) => tuple !== undefined);
      const others = [...new Set(parentsOfMissing)].filter((tuple) => !missing.includes(tuple));
      const result = await compute({ tuples: missing, parents: others });
      if (result.repeatable !== true) this.#unrepeatable.add(question.graph_id);
      const states = statesOf(result, missing).values();
      for (const tuple of missing) {
        const { value } = states.next();
        if (value === undefined) continue;
        texts.set(tuple, value);
        if (result.repeatable === true) this.#texts.keep(keyOf(tuple), value);
      }
    }
    return [...texts.values()].filter((text) => text !== undefined);
  }
}

/** @throws Error when a runtime returns a different number of states than requested. */
function statesOf({ states }: StateHistoryResult, tuples: readonly CheckpointTuple[]): string[] {
  if (states.length === tuples.length) return states;
  throw new Error(`The graph runtime answered ${states.length} states of ${tuples.length} checkpoints.`);
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64');
}
