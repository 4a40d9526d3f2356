import assert from 'node:assert/strict';
import * as streams from '@langchain/core/utils/stream';
import { withTap } from '../../../../src/runtime/node/streams/stream-tap.ts';

describe('the stream of a run', () => {
  /** Reads a stream to its end. @returns its chunks, and how many more were offered after it was closed */
  async function readAll(reading: (read: () => Promise<void>) => Promise<void>) {
    const { enqueue } = ReadableStreamDefaultController.prototype;
    let refused = 0;
    ReadableStreamDefaultController.prototype.enqueue = function (chunk) {
      try {
        enqueue.call(this, chunk);
      } catch (error) {
        refused++;
        throw error;
      }
    };
    try {
      const chunks: number[] = [];
      await reading(async () => {
        const source = (async function* () {
          yield 1;
          yield 2;
        })();
        for await (const chunk of streams.IterableReadableStream.fromAsyncGenerator(source))
          chunks.push(chunk);
      });
      return { chunks, refused };
    } finally {
      ReadableStreamDefaultController.prototype.enqueue = enqueue;
    }
  }

  it('gets no chunk after it was closed, as LangChain’s own does', async () => {
    // If this fails with a later LangChain, the replacement is no longer needed.
    assert.deepEqual(await readAll((read) => read()), { chunks: [1, 2], refused: 1 });
    assert.deepEqual(await readAll((read) => withTap(streams, () => false, read)), {
      chunks: [1, 2],
      refused: 0,
    });
  });
});
