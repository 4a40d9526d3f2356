import type { ReadOperations } from '../operations/read-operations.ts';
import type { TracingServices } from './services.ts';

type Asked<Name extends 'queryRuns' | 'runStats'> = Parameters<ReadOperations[Name]>[0];
type Services = Pick<TracingServices, 'read' | 'write'>;

/** How long the writing thread indexes at a time; in between, it stores other data. */
const SLICE_MS = 50;

/** Queries runs. A search for words waits until everything stored before it can be found. */
export async function queryRuns(services: Services, asked: Asked<'queryRuns'>) {
  await indexWords(services, asked.query);
  return services.read('queryRuns', asked);
}

/** Queries statistics of runs; a search for words waits as in `queryRuns`. */
export async function runStats(services: Services, asked: Asked<'runStats'>) {
  await indexWords(services, asked.query);
  return services.read('runStats', asked);
}

/**
 * Waits until the full-text index, which is filled between requests, contains everything that was stored before the
 * search.
 */
async function indexWords(
  { write }: Services,
  query: Asked<'queryRuns' | 'runStats'>['query'],
): Promise<void> {
  if (!searches(query)) return;
  let upTo: number | undefined;
  do upTo = await write('indexWords', { upTo, budgetMs: SLICE_MS });
  while (upTo !== undefined);
}

/** The names in filters that search the words of a run. */
const WORDS = /search|inputs|outputs/;

function searches(query: Asked<'queryRuns' | 'runStats'>['query']): boolean {
  if (query.query) return true;
  return [query.filter, query.trace_filter, query.tree_filter, query.search_filter].some(
    (filter) => filter !== undefined && filter !== null && WORDS.test(filter),
  );
}
