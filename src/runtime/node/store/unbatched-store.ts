import type { BaseStore, Operation } from '@langchain/langgraph';
import { microtasksDone } from '../../../process/microtasks-done.ts';
import { isRecord } from '../langgraph-types.ts';

/** The parts of the wrapper used here that LangGraph puts around every store for a run. */
interface BatchedStore {
  readonly store: BaseStore;
}

const mended = new WeakSet<object>();

/**
 * Sends operations on the server's store immediately. LangGraph's wrapper polls every millisecond during a run,
 * and delays its end by one more poll. Operations on our store leave in one message per event loop turn anyway.
 * Other stores and other LangGraph versions are unchanged.
 * LangGraph starts a store that is not running before every superstep, and waits for it. Ours never counts as
 * running.
 * LangGraph stops the store before it ends or fails the stream of a run, and waits for it. A failing stream drops
 * unread data, so ours stops only when everything streamed has been read.
 * @param wrapper `AsyncBatchedStore` of the user's own `@langchain/langgraph-checkpoint`.
 * @param beforeSuperstep called, and awaited, before every superstep of every run.
 */
export function unbatchStore(
  wrapper: unknown,
  isOurs: (store: BaseStore) => boolean,
  beforeSuperstep: () => Promise<void> | undefined,
): void {
  const prototype: unknown = typeof wrapper === 'function' ? wrapper.prototype : undefined;
  if (!isRecord(prototype) || mended.has(prototype)) return;
  const { start, stop, enqueueOperation } = prototype;
  if (typeof start !== 'function' || typeof stop !== 'function' || typeof enqueueOperation !== 'function') {
    return;
  }
  mended.add(prototype);
  prototype.start = function (this: BatchedStore) {
    return isOurs(this.store) ? beforeSuperstep() : Reflect.apply(start, this, []);
  };
  prototype.stop = function (this: BatchedStore) {
    return isOurs(this.store) ? microtasksDone() : Reflect.apply(stop, this, []);
  };
  prototype.enqueueOperation = async function (this: BatchedStore, operation: Operation) {
    if (!isOurs(this.store)) return Reflect.apply(enqueueOperation, this, [operation]);
    const [answer] = await this.store.batch([operation]);
    return answer;
  };
}
