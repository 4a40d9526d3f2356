import process from 'node:process';
import { type InitializeParams, type InitializeResult, PROTOCOL_VERSION } from '../protocol/protocol.ts';
import type { GraphRegistry } from './graph-registry.ts';
import { parseGraphPath } from './load-graph.ts';
import { loadTypeScript } from './typescript-loader.ts';
import type { UserLangGraphs } from './user-langgraph.ts';

/** Loads the graphs of a project. */
export async function initialize(
  params: InitializeParams,
  graphs: GraphRegistry,
  langgraphs: UserLangGraphs,
): Promise<InitializeResult> {
  const files = Object.values(params.graphs).map(({ path }) => parseGraphPath(params.project_dir, path).file);
  const loader = await loadTypeScript(params.project_dir, files);
  return {
    protocol_version: PROTOCOL_VERSION,
    language: 'node',
    language_version: process.versions.node,
    langgraph_version: langgraphs.version(params.project_dir) ?? 'not installed',
    loader,
    graphs: await graphs.load(params),
  };
}
