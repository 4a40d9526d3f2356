import * as vscode from 'vscode';

/** A file that is written for coding agents. */
export interface WrittenFile {
  /** Relative to the folder of langgraph.json. */
  readonly name: string;
  readonly isNew: boolean;
  /** Whether other programs have entries in it, which are kept. */
  readonly isShared: boolean;
}

/**
 * Says what happens to each file, and how the MCP server is started if one of them starts it.
 * @param start the command line
 */
export function describeFiles(files: readonly WrittenFile[], start: string): string {
  const lines = files.map(({ name, isNew, isShared }) => {
    if (isNew) return vscode.l10n.t('{0} (new)', name);
    return isShared
      ? vscode.l10n.t('{0} (other entries are kept)', name)
      : vscode.l10n.t('{0} (is replaced)', name);
  });
  // Only the shared files say how to start the MCP server.
  if (!files.some(({ isShared }) => isShared)) return lines.join('\n');
  return [...lines, '', vscode.l10n.t('Coding agents start the MCP server with: {0}', start)].join('\n');
}
