import type { CodeLens } from 'vscode-languageserver';
import type { RunGraph } from '../contract/language-server.ts';
import { type ConfigDocument, configuredGraphs, rangeOf } from '../project/config-document.ts';
import type { ProjectFiles } from '../project/project-files.ts';
import { placedGraphs } from './definition.ts';
import type { Projects } from './projects.ts';

/** Run, above each graph of a langgraph.json. */
export function lensesInConfig(config: ConfigDocument, command: string): CodeLens[] {
  return configuredGraphs(config).map(({ graphId, keyNode }) => ({
    range: rangeOf(config, keyNode),
    command: runCommand(command, '$(play) Run', { config_path: config.file, graph_id: graphId }),
  }));
}

/** Run, above the export of each graph that some langgraph.json names. */
export async function lensesInSource(
  files: ProjectFiles,
  projects: Projects,
  source: string,
  command: string,
): Promise<CodeLens[]> {
  const placed = await placedGraphs(files, projects, source);
  return placed.map(({ graph: { config, graphId }, range }) => ({
    range,
    command: runCommand(command, `$(play) Run ${graphId}`, { config_path: config.file, graph_id: graphId }),
  }));
}

function runCommand(command: string, title: string, run: RunGraph): NonNullable<CodeLens['command']> {
  return { title, command, arguments: [run] };
}
