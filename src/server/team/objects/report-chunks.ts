/** A pipeline step that reports each piece that passes through. */
export function reportChunks(heard: () => void = () => {}) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of pieces) {
      heard();
      yield piece;
    }
  };
}
