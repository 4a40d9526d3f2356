import type { WriterContext } from '../tracing/context/writer-context.ts';

/**
 * The time when the next background work is due if nothing else is stored, in milliseconds since 1970;
 * `Infinity` for never. This is read from the database, so the thread may end in the meantime.
 */
export function nextWorkAt({ background }: Pick<WriterContext, 'background'>): number {
  return Math.min(...background.map((work) => work.dueAt())) / 1_000;
}
