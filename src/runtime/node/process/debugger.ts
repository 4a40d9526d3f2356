import process from 'node:process';
import type { DebuggerAddress } from '../../protocol/protocol.ts';

/** Whether the inspector was opened here, and not by the user's own `--inspect`. */
let isOurs = false;

/**
 * Lets a debugger connect to this process, from this machine only, at an address that cannot be guessed.
 * @throws Error when this Node has no inspector, or may not open it.
 */
export async function openDebugger(): Promise<DebuggerAddress> {
  if (!process.features.inspector) {
    throw new Error(
      `Node ${process.versions.node} was built without its inspector and cannot be debugged. Put another Node first on the PATH.`,
    );
  }
  const inspector = await import('node:inspector');
  if (inspector.url() === undefined) {
    inspector.open(0, '127.0.0.1');
    isOurs = true;
  }
  const address = inspector.url();
  if (address === undefined) throw new Error(`Node ${process.versions.node} could not open its inspector.`);
  return { address };
}

/** Detaches connected debuggers and closes the port. */
export async function closeDebugger(): Promise<Record<never, never>> {
  if (!isOurs) return {};
  isOurs = false;
  const inspector = await import('node:inspector');
  inspector.close();
  return {};
}
