import path from 'node:path';

/**
 * The times at which a note says that graphs are still loading; each time after these is twice the one
 * before.
 */
const MOMENTS_MS = [5_000, 15_000, 30_000];

/**
 * Reports slow loading of graphs.
 * @param waiting the files that have not been loaded yet
 * @returns a function that ends the watch
 */
export function watchLoading(
  projectDir: string,
  waiting: ReadonlySet<string>,
  warn: (message: string) => void,
): () => void {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const next = (at: number) => {
    const lastMs = MOMENTS_MS.at(-1) ?? 0;
    const momentMs = MOMENTS_MS[at] ?? lastMs * 2 ** (at - MOMENTS_MS.length + 1);
    const sinceMs = performance.now() - began;
    // Some of the times may have passed while code blocked the event loop.
    if (momentMs < sinceMs) return next(at + 1);
    timer = setTimeout(() => {
      const [first, ...others] = [...waiting].map((file) => path.relative(projectDir, file));
      const seconds = Math.round((performance.now() - began) / 1000);
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      if (first !== undefined) warn(`Still loading the graphs after ${seconds} s: ${first}${more}.`);
      next(at + 1);
    }, momentMs - sinceMs);
  };
  next(0);
  return () => clearTimeout(timer);
}
