import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as vscode from 'vscode';

/**
 * Puts `agent-harbor` on the PATH of VS Code's terminals: a launcher that runs the extension's own command line on VS
 * Code's own executable, so that Node need not be installed.
 */
export async function offerInTerminals(context: vscode.ExtensionContext): Promise<void> {
  const folder = launchersOf(context);
  const cli = context.asAbsolutePath('dist/cli.js');
  await mkdir(folder, { recursive: true });
  const scripts = launchers(process.execPath, cli);
  for (const [name, text] of Object.entries(scripts)) {
    const file = path.join(folder, name);
    await writeFile(file, text);
    await chmod(file, 0o755);
  }
  context.environmentVariableCollection.prepend('PATH', folder + path.delimiter);
}

/** The folder of the launchers. */
export function launchersOf({ globalStorageUri }: vscode.ExtensionContext): string {
  return path.join(globalStorageUri.fsPath, 'bin');
}

/** The launcher for POSIX shells (Git Bash among them) and, on Windows, the one for cmd and PowerShell, by their names. */
export function launchers(
  executable: string,
  cli: string,
  platform: NodeJS.Platform = process.platform,
): Readonly<Record<string, string>> {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const posix = `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${quoted(executable)} ${quoted(cli)} "$@"\n`;
  if (platform !== 'win32') return { 'agent-harbor': posix };
  // A percent sign begins a variable in a batch file.
  const escaped = (text: string) => `"${text.replaceAll('%', '%%')}"`;
  const batch = `@echo off\r\nsetlocal\r\nset ELECTRON_RUN_AS_NODE=1\r\n${escaped(executable)} ${escaped(cli)} %*\r\n`;
  return { 'agent-harbor': posix, 'agent-harbor.cmd': batch };
}
