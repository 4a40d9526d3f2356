import type { Problem } from '../../../project/problem.ts';
import type { GraphStatus } from '../../../runtime/protocol/protocol.ts';

/** The problems of a project, as `agent-harbor check` finds them; those of keys and graphs also by name. */
interface ConfigProblems {
  readonly problems: readonly Problem[];
  /** The unknown keys in langgraph.json, by the last part of their paths: keys of the same name count as one. */
  readonly unknownKeys: ReadonlySet<string>;
  /** The graphs whose entries have an error, each with its first error. */
  readonly ofGraphs: ReadonlyMap<string, Problem>;
}

/**
 * Checks a langgraph.json and the files that it names, without loading its graphs.
 * @param environment the variables that the graphs inherit.
 */
export async function findConfigProblems(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ConfigProblems> {
  // The parsers are imported on demand, because graphs load without them.
  const [document, { checkProject }, { filesOnDisk: files }] = await Promise.all([
    import('../../../project/config-document.ts'),
    import('../../../project/checks/check-project.ts'),
    import('../../../project/project-files.ts'),
  ]);
  const text = (await files.read(configPath)) ?? '';
  const config = await document.readConfigDocument(document.makeJsonService(), configPath, text);
  const problems = await checkProject({ config, files, environment });
  const errors = problems.filter(({ file, severity }) => file === configPath && severity === 'error');
  const ofGraphs = document.configuredGraphs(config).flatMap(({ graphId, keyNode, reference }) => {
    const { start, end } = document.rangeOf(config, reference ?? keyNode);
    const found = errors.find(
      ({ range }) => compare(start, range.start) <= 0 && compare(range.end, end) <= 0,
    );
    return found === undefined ? [] : [[graphId, found] as const];
  });
  const unknown = problems.filter(({ code }) => code === 'unknown-key');
  return {
    problems,
    unknownKeys: new Set(unknown.map(({ range }) => config.document.getText(range).replaceAll('"', ''))),
    ofGraphs: new Map(ofGraphs),
  };
}

/**
 * Replaces the errors of graphs that did not load with those of the check, if the check found the same
 * problem.
 */
export async function explainFailures(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
  graphs: readonly GraphStatus[],
): Promise<readonly GraphStatus[]> {
  if (graphs.every(({ status }) => status !== 'failed')) return graphs;
  const { ofGraphs } = await findConfigProblems(configPath, environment);
  return graphs.map((graph) => {
    const problem = ofGraphs.get(graph.graph_id);
    if (graph.status !== 'failed' || problem === undefined || !isSame(problem, graph.error.message))
      return graph;
    return {
      ...graph,
      error: { name: graph.error.name, message: problem.message, location: placeOf(problem) },
    };
  });
}

/** Whether the runtime's error is about the same problem, and not about something else, such as an import. */
function isSame({ code }: Problem, message: string): boolean {
  return code === 'file-missing' || (code === 'export-missing' && / has no (?:export )?'/.test(message));
}

/** The place of a problem, counted from 1. */
export function placeOf({ file, range: { start } }: Problem): { file: string; line: number; column: number } {
  return { file, line: start.line + 1, column: start.character + 1 };
}

function compare(a: Problem['range']['start'], b: Problem['range']['start']): number {
  return a.line - b.line || a.character - b.character;
}
