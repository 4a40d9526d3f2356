import { rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { patience } from './wait.ts';

const HEARTBEAT_MS = 2_000;
const ABANDONED_AFTER_MS = 30_000 * patience;
const PAUSE_MS = 200;

/**
 * Runs an action that only one process of this machine may run at a time; the others wait until it is done.
 * @param file the lock, in an existing folder; a process that is killed leaves it behind, and half a minute later it
 *   no longer counts.
 * @throws what `action` throws
 */
export async function withLock<T>(file: string, action: () => Promise<T>): Promise<T> {
  while (!(await take(file))) await delay(PAUSE_MS);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {}); // The lock is missing if the folder was emptied.
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

/** While the lock is being removed, Windows reports another error. */
function isTaken(code: unknown): boolean {
  return code === 'EEXIST' || (process.platform === 'win32' && code === 'EPERM');
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isTaken(error.code))) throw error;
    const heldAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - heldAt > ABANDONED_AFTER_MS) await rm(file, { force: true });
    return false;
  }
}
