import * as vscode from 'vscode';
import type { LackingEnv } from '../../contract/harbor.ts';

/**
 * The initial contents of a missing env file: those of its example, or the variables that are known to be
 * missing.
 */
export async function initialEnv({ file, has_example, variables }: LackingEnv): Promise<Uint8Array> {
  if (has_example) return vscode.workspace.fs.readFile(vscode.Uri.file(`${file}.example`));
  return new TextEncoder().encode(variables.map((name) => `${name}=\n`).join(''));
}
