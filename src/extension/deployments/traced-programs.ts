import * as vscode from 'vscode';
import { tracingVariables } from '../../client/tracing-variables.ts';
import type { PlatformConnection } from '../connections/connection.ts';

export const TRACE_PROGRAMS = 'agentHarbor.tracePrograms';

/** Earlier values, in the environment of this process, of the variables that are set now. */
const replaced = new Map<string, string | undefined>();

/** Whether the user has turned it on, in a trusted folder. */
export function tracesPrograms(): boolean {
  return (
    vscode.workspace.isTrusted && vscode.workspace.getConfiguration().get<boolean>(TRACE_PROGRAMS, false)
  );
}

/** The environment of this window without what {@link tracePrograms} has set. */
export function windowEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...Object.fromEntries(replaced) };
}

/**
 * While the local server runs and the setting is on, makes programs that VS Code starts send their traces to it:
 * those in terminals, and those that other extensions start, such as the test runners of the Testing view. These
 * inherit the environment of the process that all extensions share.
 * @param terminals the variables of terminals; other variables are left alone.
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
    const isWanted = tracesPrograms();
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
