/** A step of a pipeline that says when a piece passes. */
export function telling(heard: () => void = () => {}) {
  return async function* (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of pieces) {
      heard();
      yield piece;
    }
  };
}
