import { openFilesSentence, saysTooManyFiles } from '../../../process/open-files.ts';
import type { GraphStatus, InitializeResult } from '../../../runtime/protocol/protocol.ts';
import { placedMessage } from '../output/placed-message.ts';
import type { PythonEnvironment } from '../python/python-environment.ts';

/** The Python runtime's error name for a missing package. */
const MISSING_PACKAGE = 'MissingPackageError';

/**
 * Why graphs did not load, with one sentence per cause, because a file that fails to load affects all of its
 * graphs.
 */
export function failureSentences(graphs: readonly GraphStatus[]): string[] {
  const failed = graphs.flatMap((graph) =>
    graph.status === 'failed' ? [{ name: `'${graph.graph_id}'`, message: placedMessage(graph.error) }] : [],
  );
  return [...Map.groupBy(failed, ({ message }) => message)].map(([message, alike]) => {
    const names = alike.map(({ name }) => name).join(', ');
    return `${alike.length === 1 ? 'Graph' : 'Graphs'} ${names} failed to load: ${message}`;
  });
}

/** Whether LangGraph or a package that a graph imports is not installed. */
export function lacksPackages({ langgraph_version, graphs, failed_extras = [] }: InitializeResult): boolean {
  return (
    langgraph_version === '' ||
    graphs.some((graph) => graph.status === 'failed' && graph.error.name === MISSING_PACKAGE) ||
    failed_extras.some(({ error }) => error.name === MISSING_PACKAGE)
  );
}

/** Replaces the errors of all graphs if LangGraph is missing. @param advice how to install it. */
export function explainMissingLangGraph(
  loaded: InitializeResult,
  python: PythonEnvironment,
  advice: string | undefined,
): InitializeResult {
  if (loaded.langgraph_version !== '' || advice === undefined) return loaded;
  const message = `LangGraph is not installed in ${python.file} (Python ${python.version}). ${advice}`;
  return {
    ...loaded,
    graphs: loaded.graphs.map((graph) =>
      graph.status === 'failed' ? { ...graph, error: { ...graph.error, message } } : graph,
    ),
  };
}

/** Explains the limit of open files if graphs could not open files. */
export function explainOpenFilesLimit(loaded: InitializeResult): InitializeResult {
  const isOutOfFiles = (graph: GraphStatus) =>
    graph.status === 'failed' && saysTooManyFiles(graph.error.message);
  if (!loaded.graphs.some(isOutOfFiles)) return loaded;
  const sentence = openFilesSentence();
  return {
    ...loaded,
    graphs: loaded.graphs.map((graph) =>
      graph.status === 'failed' && isOutOfFiles(graph)
        ? { ...graph, error: { ...graph.error, message: `${graph.error.message}. ${sentence}` } }
        : graph,
    ),
  };
}
