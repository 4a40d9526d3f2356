import type { WriterContext } from '../tracing/context/writer-context.ts';

/**
 * When the next background work is due if nothing else is stored: in milliseconds, `Infinity` for never. It is
 * read from the database, so the thread may end meanwhile.
 */
export function nextWork({ background }: Pick<WriterContext, 'background'>): number {
  return Math.min(...background.map((work) => work.dueAt())) / 1_000;
}
