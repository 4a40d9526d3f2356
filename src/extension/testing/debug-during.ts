import * as vscode from 'vscode';
import { DEBUG_TYPE } from '../debug/debug-type.ts';
import type { Debugger } from '../debug/debugger.ts';
import type { Config } from '../deployments/configs.ts';

/**
 * Attaches the debugger to a deployment while work runs. If it is attached already, it stays attached
 * afterwards.
 */
export async function debugDuring(
  debugging: Debugger,
  config: Config,
  work: () => Promise<void>,
): Promise<void> {
  let own: vscode.DebugSession | undefined;
  const subscription = vscode.debug.onDidStartDebugSession((session) => {
    if (session.type === DEBUG_TYPE && session.parentSession === undefined) own ??= session;
  });
  try {
    await debugging.attach(config);
    await work();
  } finally {
    subscription.dispose();
    if (own !== undefined) await vscode.debug.stopDebugging(own);
  }
}
