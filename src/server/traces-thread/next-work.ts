import type { WriterContext } from '../tracing/context/writer-context.ts';

/**
 * When there is background work again, if nothing is stored until then: in milliseconds, `Infinity` for never. It is read
 * from what is stored, so that the thread may be ended meanwhile.
 */
export function nextWork({ background }: Pick<WriterContext, 'background'>): number {
  return Math.min(...background.map((work) => work.dueAt())) / 1_000;
}
