import * as vscode from 'vscode';
import type { LackingEnv } from '../../contract/harbor.ts';

/**
 * Returns the initial contents of a missing env file: those of its example, or else the variables that are
 * known to be missing.
 * @throws FileSystemError if the example cannot be read
 */
export async function readInitialEnv({ file, has_example, variables }: LackingEnv): Promise<Uint8Array> {
  if (has_example) return vscode.workspace.fs.readFile(vscode.Uri.file(`${file}.example`));
  return new TextEncoder().encode(variables.map((name) => `${name}=\n`).join(''));
}
