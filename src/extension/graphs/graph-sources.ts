import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { GraphLocations, LiveDeployment, RuntimeState, SourceLocation } from '../../contract/harbor.ts';
import { isInside } from '../../project/paths.ts';

/** Where the nodes of served graphs are written, according to their runtimes. */
export class GraphSources {
  readonly #asked = new WeakMap<RuntimeState, Map<string, Promise<GraphLocations | undefined>>>();

  /**
   * Where a node is written, or its graph when no node is named; `undefined` where the runtime does not know.
   * @param connect returns the deployment's client; called only when needed.
   */
  async find(
    live: LiveDeployment,
    graph: string,
    node: string | undefined,
    connect: () => Promise<Pick<Client, 'harbor'>>,
  ): Promise<SourceLocation | undefined> {
    if (live.runtime.state !== 'ready') return undefined;
    const found = live.runtime.graphs.find(({ graph_id }) => graph_id === graph);
    if (found?.status !== 'loaded') return undefined;
    if (node === undefined) return found.location;
    return found.nodes[node] ?? (await this.#locate(live, graph, connect))?.nodes[node];
  }

  /**
   * Asks the runtime once each time it has loaded its graphs, because looking up functions in the debugger is
   * slow.
   */
  #locate(
    live: LiveDeployment,
    graph: string,
    connect: () => Promise<Pick<Client, 'harbor'>>,
  ): Promise<GraphLocations | undefined> {
    const asked = this.#asked.get(live.runtime) ?? new Map<string, Promise<GraphLocations | undefined>>();
    this.#asked.set(live.runtime, asked);
    const { deployment_id } = live;
    const answer =
      asked.get(graph) ??
      connect()
        .then(({ harbor }) => harbor.locateGraph({ params: { deployment_id, graph_id: graph } }))
        // Without an answer no link is shown.
        .catch(() => undefined);
    asked.set(graph, answer);
    return answer;
  }
}

/** Shows a place in a file. */
export async function showSource({ file, line, column = 1 }: SourceLocation): Promise<void> {
  const position = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  await vscode.window.showTextDocument(vscode.Uri.file(file), {
    selection: new vscode.Range(position, position),
  });
}

/**
 * Shows a place of a stack. Stacks come from anyone who ran the graph: only files of the open folders are opened.
 * @throws Error for any other file.
 */
export async function showFrame(frame: {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
}): Promise<void> {
  const { file, line, column } = frame;
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (!folders.some(({ uri }) => isInside(uri.fsPath, file)))
    throw new Error(vscode.l10n.t('{0} is not in the open folder.', file));
  await showSource({ file, line, ...(column !== undefined && { column }) });
}
