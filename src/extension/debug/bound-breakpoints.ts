import { setTimeout as sleep } from 'node:timers/promises';
import type * as vscode from 'vscode';

/** How long a debugger gets to bind breakpoints; it hits those that it binds later too. */
const BIND_MS = 5_000;
const PAUSE_MS = 100;

/**
 * Waits until each breakpoint is bound in one of the sessions, or apparently cannot be. A debugger reports
 * that it is attached before it has read the source maps of code that already runs.
 * @returns the unbound breakpoints, for example because no running code comes from their file
 */
export async function whenBound<Breakpoint extends vscode.Breakpoint>(
  breakpoints: readonly Breakpoint[],
  sessions: () => Iterable<vscode.DebugSession>,
): Promise<Breakpoint[]> {
  const until = performance.now() + BIND_MS;
  for (;;) {
    const bound = await Promise.all(breakpoints.map((breakpoint) => isBound(breakpoint, sessions())));
    const unbound = breakpoints.filter((_, at) => !bound[at]);
    if (unbound.length === 0 || performance.now() > until) return unbound;
    await sleep(PAUSE_MS);
  }
}

async function isBound(
  breakpoint: vscode.Breakpoint,
  sessions: Iterable<vscode.DebugSession>,
): Promise<boolean> {
  for (const session of sessions) {
    const found = await session.getDebugProtocolBreakpoint(breakpoint);
    if (found !== undefined && 'verified' in found && found.verified === true) return true;
  }
  return false;
}
