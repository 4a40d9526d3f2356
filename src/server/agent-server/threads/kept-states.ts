import { hash } from 'node:crypto';
import type { CheckpointTuple, StateHistoryResult } from '../../../runtime/protocol/protocol.ts';

/** Characters of all texts together. */
const MAX_CHARS = 4 * 1_048_576;

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
export class KeptStates {
  readonly #texts = new Map<string, string>();
  #chars = 0;

  /**
   * The states of checkpoints, in their order.
   * @param question what the states depend on beside the checkpoints.
   * @param compute has the runtime compute those that are not kept.
   */
  async read(
    question: object,
    { tuples, parents }: Checkpoints,
    compute: (missing: Checkpoints) => Promise<StateHistoryResult>,
  ): Promise<string[]> {
    const byId = new Map([...parents, ...tuples].map((tuple) => [tuple.checkpoint_id, tuple]));
    const parentOf = (tuple: CheckpointTuple) => byId.get(tuple.parent_checkpoint_id ?? '');
    const asked = hashOf(JSON.stringify(question));
    const contents = new Map([...byId.values()].map((tuple) => [tuple, hashOf(JSON.stringify(tuple))]));
    const contentOf = (tuple: CheckpointTuple | undefined) => tuple && contents.get(tuple);
    const keys = tuples.map((tuple) => [asked, contentOf(tuple), contentOf(parentOf(tuple))].join());
    const texts = keys.map((key) => this.get(key));
    const missing = tuples.filter((_tuple, at) => texts[at] === undefined);
    if (missing.length === 0) return texts.map((text = '') => text);
    const others = missing.map(parentOf).filter((tuple) => tuple !== undefined);
    const beside = [...new Set(others)].filter((tuple) => !missing.includes(tuple));
    const { states, repeatable = false } = await compute({ tuples: missing, parents: beside });
    const made = states.values();
    return keys.map((key, at) => {
      const kept = texts[at];
      if (kept !== undefined) return kept;
      const text = made.next().value ?? '';
      if (repeatable) this.keep(key, text);
      return text;
    });
  }

  get(key: string): string | undefined {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, text);
    return text;
  }

  keep(key: string, text: string): void {
    this.#forget(key);
    this.#texts.set(key, text);
    this.#chars += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= MAX_CHARS) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#chars -= this.#texts.get(key)?.length ?? 0;
    this.#texts.delete(key);
  }
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64');
}
