import type { CodeLens, Range } from 'vscode-languageserver';
import type { RunGraph } from '../contract/language-server.ts';
import { type ConfigDocument, configuredGraphs, rangeOf } from '../project/config-document.ts';
import type { Problem } from '../project/problem.ts';
import type { ProjectFiles } from '../project/project-files.ts';
import { locateGraphs } from './definition.ts';
import type { Projects } from './projects.ts';

/** The editor's commands. A lens is only offered if its command is set. */
export interface LensCommands {
  readonly run?: string | undefined;
  readonly debug?: string | undefined;
  readonly deploy?: string | undefined;
}

/** Run, Debug and Deploy, above each graph of a langgraph.json. */
export function lensesInConfig(config: ConfigDocument, commands: LensCommands): CodeLens[] {
  const graphs = configuredGraphs(config).map(({ graphId, keyNode }) => ({
    graphId,
    range: rangeOf(config, keyNode),
  }));
  const onLine = Map.groupBy(graphs, ({ range }) => range.start.line);
  return graphs.flatMap(({ graphId, range }) => {
    // If several graphs are on one line, the titles need their names.
    const name = onLine.get(range.start.line)?.length === 1 ? '' : ` ${graphId}`;
    return lenses(range, name, { config_path: config.file, graph_id: graphId }, commands);
  });
}

/**
 * The command of this server that creates the env file that a langgraph.json names. Its argument is the path
 * of the langgraph.json.
 */
export const CREATE_ENV_FILE = 'agentHarbor.languageServer.createEnvFile';

/** A lens above the name of a missing env file in langgraph.json, which creates the file. */
export function lensesOnProblems(config: ConfigDocument, problems: readonly Problem[]): CodeLens[] {
  return problems.flatMap(({ code, file, range, fixes: [fix] = [] }) =>
    code === 'env-file' && file === config.file && fix !== undefined
      ? [
          {
            range,
            command: {
              title: `$(new-file) ${fix.title}`,
              command: CREATE_ENV_FILE,
              arguments: [config.file],
            },
          },
        ]
      : [],
  );
}

/** Run, Debug and Deploy, above the export of each graph that some langgraph.json names. */
export async function findLensesInSource(
  files: ProjectFiles,
  projects: Projects,
  source: string,
  commands: LensCommands,
): Promise<CodeLens[]> {
  const placed = await locateGraphs(files, projects, source);
  return placed.flatMap(({ graph: { config, graphId }, range }) =>
    lenses(range, ` ${graphId}`, { config_path: config.file, graph_id: graphId }, commands),
  );
}

/** @param name added to the titles; empty if the line shows only this graph */
function lenses(
  range: Range,
  name: string,
  graph: RunGraph,
  { run, debug, deploy }: LensCommands,
): CodeLens[] {
  const lens = (title: string, command: string | undefined): CodeLens[] =>
    command === undefined
      ? []
      : [{ range, command: { title: `${title}${name}`, command, arguments: [graph] } }];
  return [
    ...lens('$(play) Run', run),
    ...lens('$(debug-alt) Debug', debug),
    ...lens('$(cloud-upload) Deploy', deploy),
  ];
}
