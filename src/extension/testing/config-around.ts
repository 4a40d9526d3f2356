import * as vscode from 'vscode';
import type { Config } from '../deployments/configs.ts';

/** The langgraph.json in the nearest folder around a file. */
export function configAround(configs: readonly Config[], { path }: vscode.Uri): Config | undefined {
  const around = configs.filter(({ uri }) => path.startsWith(`${vscode.Uri.joinPath(uri, '..').path}/`));
  return around.toSorted((a, b) => b.uri.path.length - a.uri.path.length)[0];
}
