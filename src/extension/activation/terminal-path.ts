import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as vscode from 'vscode';

/**
 * Puts `agent-harbor` on the PATH of VS Code's terminals: a launcher that runs the extension's own command
 * line on VS Code's own executable, so that Node need not be installed.
 */
export async function offerInTerminals(context: vscode.ExtensionContext): Promise<void> {
  const folder = launchersFolderOf(context);
  const cli = context.asAbsolutePath('dist/cli.js');
  await mkdir(folder, { recursive: true });
  const scripts = launchers({ executable: process.execPath, cli, folder });
  for (const [name, text] of Object.entries(scripts)) {
    const file = path.join(folder, name);
    await writeFile(file, text);
    await chmod(file, 0o755);
  }
  context.environmentVariableCollection.prepend('PATH', folder + path.delimiter);
}

/** The folder of the launchers. */
export function launchersFolderOf({ globalStorageUri }: vscode.ExtensionContext): string {
  return path.join(globalStorageUri.fsPath, 'bin');
}

/** The absolute paths for a launcher. */
interface LauncherPaths {
  readonly executable: string;
  readonly cli: string;
  /** The folder of the launchers. */
  readonly folder: string;
}

/**
 * The launchers by file name: for POSIX shells, including Git Bash, and on Windows also for cmd and
 * PowerShell.
 */
export function launchers(
  { executable, cli, folder }: LauncherPaths,
  platform: NodeJS.Platform = process.platform,
): Readonly<Record<string, string>> {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const posix = `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${quoted(executable)} ${quoted(cli)} "$@"\n`;
  if (platform !== 'win32') return { 'agent-harbor': posix };
  return { 'agent-harbor': posix, 'agent-harbor.cmd': batchFile({ executable, cli, folder }) };
}

/**
 * The launcher for Windows. Its paths are relative to its own folder if possible, because cmd.exe reads
 * batch files in the code page of the console, which may garble a user's name. If a path still has
 * characters outside ASCII, the code page becomes UTF-8.
 */
function batchFile({ executable, cli, folder }: LauncherPaths): string {
  const words = [executable, cli].map((file) => {
    const relative = path.win32.relative(folder, file);
    // A percent sign begins a variable.
    const escaped = relative.replaceAll('%', '%%');
    return `"${path.win32.isAbsolute(relative) ? '' : '%~dp0'}${escaped}"`;
  });
  const command = `${words.join(' ')} %*`;
  const lines = ['@echo off', 'setlocal', 'set ELECTRON_RUN_AS_NODE=1', command];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all that is ASCII
  if (/[^\x00-\x7f]/.test(command)) lines.splice(1, 0, 'chcp 65001 > nul');
  return lines.map((line) => `${line}\r\n`).join('');
}
