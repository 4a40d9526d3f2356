/** Creates a value on first use, and keeps it. If creating it fails, that failure is kept too. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
