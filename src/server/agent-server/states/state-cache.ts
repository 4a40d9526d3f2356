import { hash } from 'node:crypto';
import type { CheckpointTuple, StateHistoryResult } from '../../../runtime/protocol/protocol.ts';
import type { TextCachePart } from '../data/text-cache.ts';

/** Checkpoints, and the parents of theirs that are not among them. */
export interface Checkpoints {
  readonly tuples: CheckpointTuple[];
  readonly parents: CheckpointTuple[];
}

/**
 * The newest texts of states that a runtime has computed, each by everything that it was computed from. A thread's history
 * is read again after every run, and only its newest checkpoints differ; computing a state costs LangGraph several hashes
 * for each task, and asking for it the way to the runtime and back.
 */
export class StateCache {
  readonly #kept: TextCachePart;
  /** Graphs of which the runtime has said that it may compute other states of the same. */
  readonly #unrepeatable = new Set<string>();

  constructor(kept: TextCachePart) {
    this.#kept = kept;
  }

  /**
   * The states of checkpoints, in their order.
   * @param question what the states depend on beside the checkpoints.
   * @param compute has the runtime compute those that are not kept.
   */
  async read(
    question: { readonly graph_id: string },
    { tuples, parents }: Checkpoints,
    compute: (missing: Checkpoints) => Promise<StateHistoryResult>,
  ): Promise<string[]> {
    // A runtime speaks for the channels of its graph, not for those of subgraphs.
    const isNested = tuples.some(({ checkpoint_ns }) => checkpoint_ns !== '');
    if (isNested || this.#unrepeatable.has(question.graph_id)) {
      return statesOf(await compute({ tuples, parents }), tuples);
    }
    const byId = new Map([...parents, ...tuples].map((tuple) => [tuple.checkpoint_id, tuple]));
    const parentOf = (tuple: CheckpointTuple) => byId.get(tuple.parent_checkpoint_id ?? '');
    const asked = hashOf(JSON.stringify(question));
    const contents = new Map([...byId.values()].map((tuple) => [tuple, hashOf(JSON.stringify(tuple))]));
    const contentOf = (tuple: CheckpointTuple | undefined) => tuple && contents.get(tuple);
    const keyOf = (tuple: CheckpointTuple) => [asked, contentOf(tuple), contentOf(parentOf(tuple))].join();
    const texts = new Map<CheckpointTuple, string | undefined>();
    for (const tuple of tuples) texts.set(tuple, this.#kept.get(keyOf(tuple)));
    const missing = tuples.filter((tuple) => texts.get(tuple) === undefined);
    if (missing.length > 0) {
      const others = missing.map(parentOf).filter((tuple) => tuple !== undefined);
      const beside = [...new Set(others)].filter((tuple) => !missing.includes(tuple));
      const result = await compute({ tuples: missing, parents: beside });
      if (result.repeatable !== true) this.#unrepeatable.add(question.graph_id);
      const states = statesOf(result, missing).values();
      for (const tuple of missing) {
        const { value } = states.next();
        if (value === undefined) continue;
        texts.set(tuple, value);
        if (result.repeatable === true) this.#kept.keep(keyOf(tuple), value);
      }
    }
    return [...texts.values()].filter((text) => text !== undefined);
  }
}

/** @throws Error when a runtime answers another number of states than it was asked for. */
function statesOf({ states }: StateHistoryResult, tuples: readonly CheckpointTuple[]): string[] {
  if (states.length === tuples.length) return states;
  throw new Error(`The graph runtime answered ${states.length} states of ${tuples.length} checkpoints.`);
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64');
}
