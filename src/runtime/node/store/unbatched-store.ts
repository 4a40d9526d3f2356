import type { BaseStore, Operation } from '@langchain/langgraph';
import { microtasksDone } from '../../../process/microtasks-done.ts';
import { isRecord } from '../langgraph-types.ts';

/** The wrapper that LangGraph puts around every store for a run. */
interface BatchedStore {
  readonly store: BaseStore;
}

const patched = new WeakSet<object>();

/**
 * Patches LangGraph's wrapper for the server's store. Other stores and other versions of LangGraph are unchanged.
 * - Operations are sent immediately. The wrapper would poll every millisecond during a run, and delay the run's end by
 *   one more poll. Operations on the server's store leave in one message per event loop turn anyway.
 * - LangGraph starts a store that is not running before every superstep, and waits for it. The server's store never
 *   counts as running, so `beforeSuperstep` is called.
 * - LangGraph stops the store before it ends or fails the stream of a run, and waits for it. A failing stream drops
 *   unread data, so stopping waits until everything streamed has been read.
 * @param wrapper `AsyncBatchedStore` of the user's own `@langchain/langgraph-checkpoint`.
 * @param beforeSuperstep called, and awaited, before every superstep of every run.
 */
export function unbatchStore(
  wrapper: unknown,
  isOurs: (store: BaseStore) => boolean,
  beforeSuperstep: () => Promise<void> | undefined,
): void {
  const prototype: unknown = typeof wrapper === 'function' ? wrapper.prototype : undefined;
  if (!isRecord(prototype) || patched.has(prototype)) return;
  const { start, stop, enqueueOperation } = prototype;
  if (typeof start !== 'function' || typeof stop !== 'function' || typeof enqueueOperation !== 'function') {
    return;
  }
  patched.add(prototype);
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
