import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';

const Outcome = z.union([
  z.object({ code: z.int().nullable(), signal: z.string().nullable() }),
  z.object({ error: z.string() }),
]);

/**
 * How a guard is started. On Windows a process that is not detached is in a job that ends with its server: the
 * guard would be gone before it could end the command, whose own processes are in none. It has no console that
 * these could write to, so each would open a window.
 */
export const GUARD_PROCESS = guardProcessOn(process.platform);

export function guardProcessOn(platform: NodeJS.Platform): {
  readonly detached: boolean;
  readonly windowsHide: boolean;
} {
  return { detached: platform === 'win32', windowsHide: true };
}

/** How the command of a guard ended: its exit code or signal, or why it could not be started. */
export type Outcome = z.output<typeof Outcome>;

/**
 * Reads a guard's report (`src/server/control-plane/builds/guard.ts`) about its command. The guard then exits, and
 * a busy process may see that before it has read the report, which is complete when the channel closes. The
 * guard's own exit code means nothing.
 */
export function outcomeOf(guard: ChildProcess): Promise<Outcome> {
  return new Promise((resolve) => {
    guard.on('error', (error) => resolve({ error: error.message }));
    guard.once('message', (message) => resolve(Outcome.parse(message)));
    guard.once('exit', (_code, signal) => {
      const endUnsaid = () => resolve({ code: null, signal: signal ?? 'its guard' });
      if (guard.connected) guard.once('disconnect', endUnsaid);
      else endUnsaid();
    });
  });
}
