/**
 * Reads a stream as fast as it arrives, independently of its consumer, because a failing web stream drops
 * unread data.
 * @returns the chunks since the last call, in order; a failure of the stream follows all of them.
 */
export async function* readAhead<Chunk>(source: AsyncIterable<Chunk>): AsyncGenerator<Chunk[]> {
  const chunks = source[Symbol.asyncIterator]();
  let unread: Chunk[] = [];
  let end: { failure?: unknown } | undefined;
  let wake = () => {};
  const read = async () => {
    try {
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        unread.push(next.value);
        wake();
      }
      end = {};
    } catch (failure) {
      end = { failure };
    }
    wake();
  };
  void read();
  try {
    while (end === undefined || unread.length > 0) {
      if (unread.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else {
        const batch = unread;
        unread = [];
        yield batch;
      }
    }
    if ('failure' in end) throw end.failure;
  } finally {
    if (end === undefined) await chunks.return?.();
  }
}
