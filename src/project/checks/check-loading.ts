import path from 'node:path';
import type { SourceLocation } from '../../contract/harbor.ts';
import { configuredGraphs, nodeAt, rangeInString, rangeOf } from '../config-document.ts';
import { type Problem, range, rangeOfPlace } from '../problem.ts';
import type { CheckInput } from './check-input.ts';

/**
 * Reports the errors of the runtime that loaded the graphs.
 * @param known problems from other checks. A graph that has one of them is not reported again.
 */
export async function checkLoading(input: CheckInput, known: readonly Problem[]): Promise<Problem[]> {
  const { config, runtime } = input;
  if (runtime?.state === 'failed') {
    if (known.some(({ severity }) => severity === 'error')) return [];
    return [await locateProblem(input, runtime.message, runtime.location, range(0, 0, 0, 1))];
  }
  if (runtime?.state !== 'ready') return [];
  const graphs = new Map(configuredGraphs(config).map((graph) => [graph.graphId, graph]));
  const failed = runtime.graphs.flatMap((status) => {
    const graph = graphs.get(status.graph_id);
    return status.status === 'failed' && graph !== undefined ? [{ graph, error: status.error }] : [];
  });
  const isKnown = (entry: Problem['range']) =>
    known.some(
      ({ file, severity, range: { start } }) =>
        file === config.file && severity === 'error' && contains(entry, start),
    );
  const problems = await Promise.all(
    failed.map(({ graph: { keyNode, reference }, error }) => {
      const entry = reference === undefined ? rangeOf(config, keyNode) : rangeInString(config, reference);
      return isKnown(entry) ? [] : findFailedGraph(input, entry, error);
    }),
  );
  return onceEach([...problems.flat(), ...(await findFailedExtras(input, runtime.failed_extras ?? []))]);
}

/**
 * Reports a graph that failed to load: in langgraph.json, and, where the error says so, in its source.
 * @param entry the graph's place in langgraph.json
 */
async function findFailedGraph(
  input: CheckInput,
  entry: Problem['range'],
  { message, location }: LoadingError,
): Promise<Problem[]> {
  const { file, dir } = input.config;
  const inConfig: Problem = {
    file,
    range: entry,
    severity: 'error',
    code: 'load',
    message: shortenPaths(dir, message),
  };
  if (location === undefined || location.file === file) return [inConfig];
  const source = await locateProblem(input, message, location, entry);
  const related = { file: source.file, range: source.range, message: 'It fails here.' };
  return [source, { ...inConfig, related }];
}

/** Why a graph, or another export, failed to load. */
interface LoadingError {
  readonly message: string;
  readonly location?: SourceLocation | undefined;
}

const EXTRA_KEYS = { auth: ['auth', 'path'], http_app: ['http', 'app'] } as const;

/** Reports `auth` and `http.app` that failed to load: at the location of the error, else at their reference. */
async function findFailedExtras(input: CheckInput, failed: FailedExtras): Promise<Problem[]> {
  const { config } = input;
  return Promise.all(
    failed.map(async ({ name, error }) => {
      const node = nodeAt(config, ...EXTRA_KEYS[name]);
      const entry = node === undefined ? range(0, 0, 0, 1) : rangeOf(config, node);
      return locateProblem(input, error.message, error.location, entry);
    }),
  );
}

type FailedExtras = NonNullable<Extract<CheckInput['runtime'], { state: 'ready' }>['failed_extras']>;

async function locateProblem(
  { config, files }: CheckInput,
  message: string,
  location: SourceLocation | undefined,
  otherwise: Problem['range'],
): Promise<Problem> {
  const file = location?.file ?? config.file;
  const place =
    location === undefined
      ? otherwise
      : rangeOfPlace(await files.read(location.file), location.line, location.column);
  return { file, range: place, severity: 'error', code: 'load', message: shortenPaths(config.dir, message) };
}

/** Makes the absolute paths in a runtime's message relative to the project. */
function shortenPaths(dir: string, message: string): string {
  return message.replaceAll(dir + path.sep, '');
}

/** Removes duplicates: all graphs of a file fail with the same error at the same place. */
function onceEach(problems: readonly Problem[]): Problem[] {
  const byPlace = new Map(
    problems.map((problem) => [JSON.stringify([problem.file, problem.range, problem.message]), problem]),
  );
  return [...byPlace.values()];
}

function contains({ start, end }: Problem['range'], { line, character }: Problem['range']['start']): boolean {
  return line === start.line && character >= start.character && character <= end.character;
}
