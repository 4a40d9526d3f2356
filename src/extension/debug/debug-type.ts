import type { DebugConfiguration, DebugSession } from 'vscode';

/** The type of the extension's debugger, in `launch.json` for example. */
export const DEBUG_TYPE = 'agent-harbor';

/**
 * The property of a session's configuration that has the ID of the process to which the session is attached.
 */
const PROCESS = 'agentHarborProcess';

/**
 * The property with a port on this machine, for processes that speak the Debug Adapter Protocol themselves.
 */
const PORT = 'agentHarborPort';

/** The property with which a session attaches to a process that speaks the Debug Adapter Protocol. */
export function portProperty(address: string): { readonly [PORT]: number } {
  return { [PORT]: Number(new URL(address).port) };
}

/** The port of a process that speaks the Debug Adapter Protocol; undefined for other sessions. */
export function portOf({ configuration }: DebugSession): number | undefined {
  const port: unknown = configuration[PORT];
  return typeof port === 'number' ? port : undefined;
}

/** Whether a session is attached to one process, rather than started by a person. */
export function hasProcess(configuration: DebugConfiguration): boolean {
  return PROCESS in configuration;
}

/** A configuration for the process with this ID. */
export function withProcess(configuration: DebugConfiguration, processId: number): DebugConfiguration {
  return { ...configuration, [PROCESS]: processId };
}

/**
 * Whether a session debugs code itself. VS Code's JavaScript debugger adds a parent session that does not.
 */
export function debugsCode({ type, configuration }: DebugSession): boolean {
  return type !== 'pwa-node' || '__pendingTargetId' in configuration;
}

/** The ID of the process that a session is attached to, and the session of {@link DEBUG_TYPE} at its root. */
export function processOfSession(
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
