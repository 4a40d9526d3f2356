import type { DebugConfiguration, DebugSession } from 'vscode';

/** The type of our debugger in `launch.json` and in VS Code's lists. */
export const DEBUG_TYPE = 'agent-harbor';

/** A property of sessions that are attached to one process: the process. */
const PROCESS = 'agentHarborProcess';

/** The port on this machine, for sessions that speak the Debug Adapter Protocol to a process themselves. */
const PORT = 'agentHarborPort';

/** How a session attaches to a process that speaks the Debug Adapter Protocol. */
export function ofPort(address: string): { readonly [PORT]: number } {
  return { [PORT]: Number(new URL(address).port) };
}

export function portOf({ configuration }: DebugSession): number | undefined {
  const port: unknown = configuration[PORT];
  return typeof port === 'number' ? port : undefined;
}

/** Whether a session is attached to one process, rather than started by a person. */
export function hasProcess(configuration: DebugConfiguration): boolean {
  return PROCESS in configuration;
}

export function ofProcess(configuration: DebugConfiguration, processId: number): DebugConfiguration {
  return { ...configuration, [PROCESS]: processId };
}

/**
 * Whether a session has code of its own: VS Code's JavaScript debugger has a parent session above those that do.
 */
export function speaksForCode({ type, configuration }: DebugSession): boolean {
  return type !== 'pwa-node' || '__pendingTargetId' in configuration;
}

/** The debug session of ours that a session belongs to, and the process that it is attached to. */
export function placeOfSession(
  session: DebugSession,
): { readonly root: DebugSession; readonly processId: number } | undefined {
  let processId: unknown;
  for (let at: DebugSession | undefined = session; at !== undefined; at = at.parentSession) {
    processId ??= at.configuration[PROCESS];
    if (at.type === DEBUG_TYPE && at.parentSession === undefined) {
      return typeof processId === 'number' ? { root: at, processId } : undefined;
    }
  }
  return undefined;
}
