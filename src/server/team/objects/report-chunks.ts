/** A pipeline step that reports each piece that passes through. */
export function reportChunks(onProgress: () => void = () => {}) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of pieces) {
      onProgress();
      yield piece;
    }
  };
}
