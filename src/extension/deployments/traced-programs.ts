import * as vscode from 'vscode';
import { tracingVariables } from '../../client/tracing-variables.ts';
import type { PlatformConnection } from '../connections/connection.ts';

export const TRACE_PROGRAMS = 'agentHarbor.tracePrograms';

/** The values that variables of this process's environment had before {@link tracePrograms} set them. */
const replaced = new Map<string, string | undefined>();

/** Whether programs are to be traced: the setting is on, and the folder is trusted. */
export function shouldTracePrograms(): boolean {
  return (
    vscode.workspace.isTrusted && vscode.workspace.getConfiguration().get<boolean>(TRACE_PROGRAMS, false)
  );
}

/** The environment of this window without what {@link tracePrograms} has set. */
export function windowEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...Object.fromEntries(replaced) };
}

/**
 * While the local server runs and the setting is on, makes programs that VS Code starts send their traces to
 * it: those in terminals, and those that other extensions start, such as the test runners of the Testing
 * view. These inherit the environment of the process that all extensions share.
 * @param terminals the variables that VS Code sets in terminals
 * @returns a disposable that restores the environment
 */
export function tracePrograms(
  connection: PlatformConnection,
  terminals: vscode.EnvironmentVariableCollection,
): vscode.Disposable {
  const restore = (): void => {
    for (const [name, value] of replaced) {
      terminals.delete(name);
      setVariable(name, value);
    }
    replaced.clear();
  };
  const follow = (): void => {
    const { state } = connection;
    const isWanted = shouldTracePrograms();
    // A server that is restarted keeps its address and key.
    if (isWanted && (state.status === 'starting' || state.status === 'silent')) return;
    restore();
    if (!isWanted || state.status !== 'ready') return;
    for (const [name, value] of Object.entries(tracingVariables(state.client.connection))) {
      replaced.set(name, process.env[name]);
      terminals.replace(name, value);
      setVariable(name, value);
    }
  };
  follow();
  return vscode.Disposable.from(
    connection.onDidChangeState(follow),
    vscode.workspace.onDidGrantWorkspaceTrust(follow),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(TRACE_PROGRAMS)) follow();
    }),
    { dispose: restore },
  );
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
