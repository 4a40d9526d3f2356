import type { BaseStore, Operation } from '@langchain/langgraph';
import { isRecord } from './langgraph-types.ts';

/** The wrapper that LangGraph puts around every store for a run, as far as it is met here. */
interface BatchedStore {
  readonly store: BaseStore;
}

const mended = new WeakSet<object>();

/**
 * Lets operations on the server's store go out at once. LangGraph's own wrapper looks for some once a millisecond as
 * long as a run goes on, also while it waits for a model, and no run ends before it has looked once more. What is asked
 * of our store leaves in one message at the end of the event loop's turn anyway. Other stores, and versions of LangGraph
 * whose wrapper is another, are left alone.
 *
 * LangGraph starts a store that is not running before every superstep, and waits for it. Ours never runs.
 * @param wrapper `AsyncBatchedStore` of the user's own `@langchain/langgraph-checkpoint`.
 * @param beforeSuperstep what to do, and maybe to wait for, before every superstep of every run.
 */
export function handOnAtOnce(
  wrapper: unknown,
  isOurs: (store: BaseStore) => boolean,
  beforeSuperstep: () => Promise<void> | undefined,
): void {
  const prototype: unknown = typeof wrapper === 'function' ? wrapper.prototype : undefined;
  if (!isRecord(prototype) || mended.has(prototype)) return;
  const { start, enqueueOperation } = prototype;
  if (typeof start !== 'function' || typeof enqueueOperation !== 'function') return;
  mended.add(prototype);
  prototype.start = function (this: BatchedStore) {
    return isOurs(this.store) ? beforeSuperstep() : Reflect.apply(start, this, []);
  };
  prototype.enqueueOperation = async function (this: BatchedStore, operation: Operation) {
    if (!isOurs(this.store)) return Reflect.apply(enqueueOperation, this, [operation]);
    const [answer] = await this.store.batch([operation]);
    return answer;
  };
}
