/** A step of a pipeline that reports each passing piece. */
export function reportChunks(heard: () => void = () => {}) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of pieces) {
      heard();
      yield piece;
    }
  };
}
