import assert from 'node:assert/strict';
import * as streams from '@langchain/core/utils/stream';
import { withTap } from '../../../../src/runtime/node/streams/stream-tap.ts';

describe('the stream of a run', () => {
  it('is closed without an error that nobody sees', async () => {
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
      const read = async () => {
        const source = (async function* () {
          yield 1;
          yield 2;
        })();
        for await (const chunk of streams.IterableReadableStream.fromAsyncGenerator(source))
          chunks.push(chunk);
      };
      await withTap(streams, () => false, read);
      assert.deepEqual(chunks, [1, 2]);
      assert.equal(refused, 0);
    } finally {
      ReadableStreamDefaultController.prototype.enqueue = enqueue;
    }
  });
});
