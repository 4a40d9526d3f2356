import { setTimeout as sleep } from 'node:timers/promises';

/** The pause between two looks at a process. */
const POLL_MS = 25;

/** Whether a process with this ID exists. Processes of other containers are not seen. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Waits until a process has ended.
 * @returns whether it ended within `timeoutMs`.
 */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
