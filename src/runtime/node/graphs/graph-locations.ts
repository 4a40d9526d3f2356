import { readFileSync } from 'node:fs';
import type { GraphLocations, SourceLocation } from '../../protocol/protocol.ts';
import { locateFunctions } from '../errors/source-locations.ts';
import { type Graph, isRecord } from '../langgraph-types.ts';
import type { GraphEntry } from '../loading/load-graph.ts';

/** Where a graph is exported and where its nodes' functions are defined; nodes from packages are left out. */
export async function locateGraph(graph: Graph, entry: GraphEntry): Promise<GraphLocations> {
  const functions = nodeFunctions(graph);
  const places = await locateFunctions(functions.map(({ callable }) => callable));
  const nodes: GraphLocations['nodes'] = {};
  functions.forEach(({ node }, index) => {
    const place = places[index];
    if (place !== undefined) nodes[node] ??= place;
  });
  const location = locateExport(entry);
  return location === undefined ? { nodes } : { location, nodes };
}

/** Candidates for the function of each node: its function, or the `invoke` method of the user's own class. */
function nodeFunctions(graph: Graph): { node: string; callable: object }[] {
  return Object.entries(graph.nodes).flatMap(([node, { bound }]) =>
    isRecord(bound)
      ? [bound.func, bound.invoke]
          .filter((callable) => typeof callable === 'function')
          .map((callable) => ({ node, callable }))
      : [],
  );
}

/**
 * Searches the text of a graph's module for the line that exports the graph; undefined when there is none.
 */
export function locateExport({ file, exportName }: GraphEntry): SourceLocation | undefined {
  const lines = readFileSync(file, 'utf8').split('\n');
  const name = exportName.replace(/[^\w$]/g, '').replaceAll('$', '\\$');
  const declared = new RegExp(
    exportName === 'default'
      ? String.raw`^\s*(?:export\s+default\b|module\.exports\s*=)`
      : String.raw`^\s*(?:export\s+(?:const|let|var|async\s+function|function)\s+|(?:module\.)?exports\.)${name}(?![\w$])`,
  );
  const at = lines.findIndex((line) => declared.test(line));
  const listed = new RegExp(String.raw`\bexports?\b.*(?<![\w$])${name}(?![\w$])`);
  const line = (at === -1 ? lines.findIndex((text) => listed.test(text)) : at) + 1;
  return line === 0 ? undefined : { file, line };
}
