import path from 'node:path';
import { getLocation, type Node, parse } from 'jsonc-parser';
import * as vscode from 'vscode';
import { z } from 'zod';
import { samePath } from '../../project/paths.ts';
import type { Config } from '../deployments/configs.ts';
import { DEBUG_TYPE } from './debug-type.ts';

const Launch = z.looseObject({ type: z.string(), config: z.string().optional().catch(undefined) });
const Graphs = z.looseObject({ graphs: z.record(z.string(), z.unknown()) });

/**
 * Completions in a launch.json: the names of graphs, and the paths of langgraph.json files.
 * @param listed the langgraph.json files of the open folders
 */
export async function completeLaunch(
  document: vscode.TextDocument,
  position: vscode.Position,
  listed: readonly Config[],
): Promise<vscode.CompletionItem[]> {
  const text = document.getText();
  const { path: place, isAtPropertyKey, previousNode } = getLocation(text, document.offsetAt(position));
  const key = place.at(-1);
  if (isAtPropertyKey || place.at(-3) !== 'configurations' || (key !== 'graph' && key !== 'config'))
    return [];
  const launch = Launch.safeParse(valueAt(parse(text), place.slice(0, -1))).data;
  if (launch?.type !== DEBUG_TYPE) return [];
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const configs = listed.filter(
    ({ uri }) => folder === undefined || vscode.workspace.getWorkspaceFolder(uri) === folder,
  );
  const range = rangeOf(document, position, previousNode);
  if (key === 'config') return configs.map(({ uri, name }) => itemOf(pathOf(uri, folder), name, range));
  const wanted = fileOf(launch.config, folder);
  const chosen = configs.filter(({ uri }) => wanted !== undefined && samePath(uri.fsPath, wanted));
  const found = await Promise.all(
    (chosen.length > 0 ? chosen : configs).map(async ({ uri, name }) =>
      (await graphsOf(uri)).map((graph) => itemOf(graph, name, range)),
    ),
  );
  return found.flat();
}

/** The graphs that a langgraph.json names; unsaved changes in the editor count. */
async function graphsOf(uri: vscode.Uri): Promise<string[]> {
  const document = await vscode.workspace.openTextDocument(uri);
  return Object.keys(Graphs.safeParse(parse(document.getText())).data?.graphs ?? {});
}

function valueAt(root: unknown, place: readonly (string | number)[]): unknown {
  return place.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    root,
  );
}

/** The range that a completion replaces: the existing string, with its quotes. */
function rangeOf(
  document: vscode.TextDocument,
  position: vscode.Position,
  node: Node | undefined,
): vscode.Range {
  if (node?.type !== 'string') return new vscode.Range(position, position);
  const { offset, length } = node;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  return range.contains(position) ? range : new vscode.Range(position, position);
}

function itemOf(text: string, detail: string, range: vscode.Range): vscode.CompletionItem {
  const item = new vscode.CompletionItem(text, vscode.CompletionItemKind.Value);
  item.detail = detail;
  item.range = range;
  item.insertText = JSON.stringify(text);
  // VS Code filters by the whole text of the range, which includes the quotes.
  item.filterText = item.insertText;
  return item;
}

/** The path in the form that is usual in a launch.json. */
function pathOf(uri: vscode.Uri, folder: vscode.WorkspaceFolder | undefined): string {
  const root = folder ?? vscode.workspace.getWorkspaceFolder(uri);
  if (root === undefined) return uri.fsPath;
  const inside = path.posix.relative(root.uri.path, uri.path);
  // If the file belongs to no folder, the variable has to name one.
  return `\${workspaceFolder${folder === undefined ? `:${root.name}` : ''}}/${inside}`;
}

/** The absolute path of `config`, which contains the variable for the folder or is relative to the folder. */
function fileOf(config: string | undefined, folder: vscode.WorkspaceFolder | undefined): string | undefined {
  if (config === undefined) return undefined;
  const plain = config.replace(/\$\{workspaceFolder(?::([^}]*))?\}/g, (whole, name: string | undefined) => {
    const named = vscode.workspace.workspaceFolders?.find((one) => one.name === name) ?? folder;
    return named?.uri.fsPath ?? whole;
  });
  return path.resolve(folder?.uri.fsPath ?? '', plain);
}
