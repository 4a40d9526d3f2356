import type { Example } from '../../../contract/datasets/examples.ts';
import { isObject } from '../../../process/objects.ts';
import { invalid, notFound } from '../../http/errors.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { queryRuns } from '../query/query-runs.ts';
import { getSession } from '../sessions/read-sessions.ts';
import { getDataset } from './datasets-store.ts';
import { listExamples } from './read-examples.ts';

interface ExperimentRunsRequest {
  readonly workspaceId: string;
  readonly datasetId: string;
  readonly sessionIds: readonly string[];
  readonly exampleIds?: readonly string[] | undefined;
  /** Expressions in the filter language, by experiment. */
  readonly filters?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly sort?: { readonly by: string; readonly order: 'ASC' | 'DESC' } | undefined;
  /** The fields of the runs to return, in v1 form; all when undefined. */
  readonly select?: readonly string[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

type RunFields = Readonly<Record<string, unknown>>;

/** An example with its runs in the experiments. */
export interface ExampleWithRuns extends Partial<Example> {
  readonly runs: readonly RunFields[];
}

/** The maximum number of examples that are filtered and sorted, and of runs that are read per experiment. */
const MAX_RUNS = 100_000;

/**
 * Reads the current examples with their runs in experiments. If there are more than `MAX_RUNS` examples, or runs
 * of an experiment, the rest is left out.
 * @returns a page, and whether there are more examples.
 * @throws HttpError 404 for a missing dataset or experiment, 422 for filters and sorting.
 */
export function experimentRuns(
  context: ReaderContext,
  request: ExperimentRunsRequest,
): { examples: ExampleWithRuns[]; more: boolean } {
  requireExperiments(context, request);
  const { examples, more } = readPage(context, request);
  const ids = examples.flatMap(({ id }) => id ?? []);
  const runs = Map.groupBy(runsOf(context, request, ids, request.select), referenceOf);
  return { examples: examples.map((example) => ({ ...example, runs: runs.get(example.id) ?? [] })), more };
}

/** @throws HttpError 404 for a missing dataset or experiment, 422 for sorting several experiments. */
function requireExperiments(context: ReaderContext, request: ExperimentRunsRequest): void {
  const { workspaceId, datasetId, sessionIds, sort } = request;
  getDataset(context, { workspaceId, datasetId });
  for (const sessionId of sessionIds) {
    const session = getSession(context, { workspaceId, sessionId });
    if (session.reference_dataset_id !== datasetId) throw notFound('Experiment', sessionId);
  }
  if (sort !== undefined && sessionIds.length !== 1) {
    throw invalid(['body', 'sort'], 'Sorting by feedback needs exactly one experiment.');
  }
}

/** Reads a page of the examples to show, and whether there are more. */
function readPage(
  context: ReaderContext,
  request: ExperimentRunsRequest,
): { examples: Partial<Example>[]; more: boolean } {
  const { workspaceId, datasetId, limit, offset, sort } = request;
  const isNarrowed = Object.values(request.filters ?? {}).some((filters) => filters.length > 0);
  const chosen =
    isNarrowed || sort !== undefined ? sortedExampleIds(context, request, isNarrowed) : request.exampleIds;
  const query = { dataset: datasetId, include_deleted: false };
  if (chosen === undefined) {
    const found = listExamples(context, { workspaceId, query: { ...query, limit: limit + 1, offset } });
    return { examples: found.slice(0, limit), more: found.length > limit };
  }
  const page = chosen.slice(offset, offset + limit);
  const found = listExamples(context, { workspaceId, query: { ...query, id: page, limit } });
  const byId = new Map(found.map((example) => [example.id, example]));
  const examples = page.map((id) => byId.get(id)).filter((example) => example !== undefined);
  return { examples, more: chosen.length > offset + limit };
}

/**
 * The IDs of the examples to show, in the requested order.
 * @param isNarrowed whether only examples with runs are shown, because the request filters the runs.
 */
function sortedExampleIds(
  context: ReaderContext,
  request: ExperimentRunsRequest,
  isNarrowed: boolean,
): string[] {
  const { workspaceId, datasetId, exampleIds, sort } = request;
  const all = listExamples(context, {
    workspaceId,
    query: { dataset: datasetId, limit: MAX_RUNS, select: ['id'], include_deleted: false },
  }).flatMap(({ id }) => id ?? []);
  const requested = exampleIds === undefined ? undefined : new Set(exampleIds);
  const ids = requested === undefined ? all : all.filter((id) => requested.has(id));
  const runs = Map.groupBy(runsOf(context, request, ids, ['feedback_stats']), referenceOf);
  const shown = isNarrowed ? ids.filter((id) => runs.has(id)) : ids;
  if (sort === undefined) return shown;
  const key = sort.by.replace(/^feedback\./, '');
  const scores = new Map(shown.map((id) => [id, scoreOf(runs.get(id) ?? [], key)]));
  const direction = sort.order === 'ASC' ? 1 : -1;
  return shown.toSorted((a, b) => {
    const [left, right] = [scores.get(a), scores.get(b)];
    // Examples without feedback come last, in both directions.
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    return (left - right) * direction;
  });
}

function runsOf(
  context: ReaderContext,
  { workspaceId, sessionIds, filters = {} }: ExperimentRunsRequest,
  exampleIds: readonly string[],
  select: readonly string[] | undefined,
): RunFields[] {
  if (exampleIds.length === 0) return [];
  return sessionIds.flatMap((sessionId) => {
    const own = filters[sessionId] ?? [];
    const { runs } = queryRuns(context, {
      workspaceId,
      query: {
        session: [sessionId],
        reference_example: [...exampleIds],
        is_root: true,
        filter: own.length > 1 ? `and(${own.join(', ')})` : own[0],
        select: select === undefined ? undefined : [...select, 'reference_example_id'],
        order: 'asc',
        limit: MAX_RUNS,
      },
    });
    return parseStored<RunFields[]>(runs);
  });
}

function referenceOf(run: RunFields): unknown {
  return run.reference_example_id;
}

/** The mean score of an example's runs under a feedback key; undefined without scores. */
function scoreOf(runs: readonly RunFields[], key: string): number | undefined {
  const scores = runs.flatMap(({ feedback_stats }) => {
    const stats = isObject(feedback_stats) ? feedback_stats[key] : undefined;
    return isObject(stats) && typeof stats.avg === 'number' ? stats.avg : [];
  });
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
