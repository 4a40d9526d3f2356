import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReadableStreamDefaultController } from 'node:stream/web';

/** A chunk of a graph's stream: the namespace of its subgraph, the stream mode, and the payload. */
export type Chunk = readonly [namespace: readonly string[], mode: string, payload: unknown];

/** LangGraph's own stream of a run, which its loop, its message handler and `config.writer` push to. */
interface PushedStream {
  readonly modes: ReadonlySet<string>;
  push(chunk: Chunk): void;
  close(): void;
  error(reason: unknown): void;
}

/**
 * Takes a chunk of a run.
 * @returns false for a chunk that has to be read from the stream
 */
type Take = (chunk: Chunk) => boolean;

const expected = new AsyncLocalStorage<{ take: Take | undefined }>();
const patched = new WeakSet<object>();

/**
 * Begins the stream of a graph, and passes its chunks to `take` when they are pushed. Reading a chunk from
 * the stream costs several promises, and the chunks of a node that computes would arrive only at its end.
 * Chunks that are not taken are read from the stream.
 * @param module `@langchain/core/utils/stream` of the user's LangGraph.
 * @param begin begins the stream.
 */
export function withTap<Result>(
  module: Readonly<Record<string, unknown>>,
  take: Take,
  begin: () => Result,
): Result {
  patch(module.IterableReadableStream);
  return expected.run({ take }, begin);
}

/**
 * Patches the class of streams, because there is no other access to the stream of a run. LangGraph begins to
 * read the stream before anything is pushed to it.
 */
function patch(streamClass: unknown): void {
  if (typeof streamClass !== 'function' || patched.has(streamClass)) return;
  patched.add(streamClass);
  const { prototype }: { prototype: object } = streamClass;
  const read: unknown = Reflect.get(prototype, Symbol.asyncIterator);
  if (typeof read !== 'function') return;
  closeCleanly(streamClass, (source) => Reflect.construct(streamClass, [source]));
  Reflect.set(prototype, Symbol.asyncIterator, function (this: object) {
    const run = expected.getStore();
    if (run?.take !== undefined && isPushed(this)) {
      tap(this, run.take);
      // Graphs that nodes call have their own streams, which are not tapped.
      run.take = undefined;
    }
    return read.call(this);
  });
}

/** The source of a stream's chunks. */
interface Source {
  pull(controller: ReadableStreamDefaultController): Promise<void>;
  cancel(reason: unknown): Promise<void>;
}

/**
 * Replaces LangChain's version, which adds a chunk to each stream that it has just closed, and then drops
 * the resulting error.
 */
function closeCleanly(streamClass: object, make: (source: Source) => object): void {
  Reflect.set(streamClass, 'fromAsyncGenerator', (generator: AsyncGenerator) =>
    make({
      async pull(controller) {
        const { value, done } = await generator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await generator.return(reason);
      },
    }),
  );
}

function tap(stream: PushedStream, take: Take): void {
  const { push, close, error } = stream;
  let isOpen = true;
  stream.push = (chunk) => {
    if (!isOpen || !take(chunk)) push.call(stream, chunk);
  };
  stream.close = () => {
    isOpen = false;
    close.call(stream);
  };
  stream.error = (reason) => {
    isOpen = false;
    error.call(stream, reason);
  };
}

function isPushed(stream: object): stream is PushedStream {
  return 'modes' in stream && 'push' in stream && 'close' in stream && 'error' in stream;
}
