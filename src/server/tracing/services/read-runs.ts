import type { ReadOperations } from '../operations/read-operations.ts';
import type { TracingServices } from './services.ts';

type Request<Name extends 'queryRuns' | 'runStats'> = Parameters<ReadOperations[Name]>[0];
type Services = Pick<TracingServices, 'read' | 'write'>;

/** How long the writing thread indexes at a time; in between, it stores other data. */
const SLICE_MS = 50;

/** Queries runs. A search for words waits until everything stored before it can be found. */
export async function queryRuns(services: Services, request: Request<'queryRuns'>) {
  await indexWords(services, request.query);
  return services.read('queryRuns', request);
}

/** Queries statistics of runs; a search for words waits as in `queryRuns`. */
export async function runStats(services: Services, request: Request<'runStats'>) {
  await indexWords(services, request.query);
  return services.read('runStats', request);
}

/**
 * Waits until the full-text index, which is filled between requests, contains everything that was stored before the
 * search.
 */
async function indexWords(
  { write }: Services,
  query: Request<'queryRuns' | 'runStats'>['query'],
): Promise<void> {
  if (!searchesWords(query)) return;
  let upTo: number | undefined;
  do upTo = await write('indexWords', { upTo, budgetMs: SLICE_MS });
  while (upTo !== undefined);
}

/** The names in filters that search the words of a run: `search`, `inputs`, `outputs`, and `input` and `output`. */
const WORD_SEARCH = /search|input|output/;

/** Whether a query searches for words. */
function searchesWords(query: Request<'queryRuns' | 'runStats'>['query']): boolean {
  if (query.query) return true;
  return [query.filter, query.trace_filter, query.tree_filter, query.search_filter].some(
    (filter) => filter !== undefined && filter !== null && WORD_SEARCH.test(filter),
  );
}
