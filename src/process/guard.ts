import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';

const Outcome = z.union([
  z.object({ code: z.int().nullable(), signal: z.string().nullable() }),
  z.object({ error: z.string() }),
]);

/** Options for starting a guard (`src/server/control-plane/builds/guard.ts`) on this system. */
export const guardOptions = guardOptionsOn(process.platform);

/**
 * Options for starting a guard. On Windows, the guard must be detached: other processes are in a job that
 * ends with the server, so a guard in that job would end before it could end its command. A detached process
 * has no console, so the console windows that its programs would open are hidden.
 */
export function guardOptionsOn(platform: NodeJS.Platform): {
  readonly detached: boolean;
  readonly windowsHide: boolean;
} {
  return { detached: platform === 'win32', windowsHide: true };
}

/** How the command of a guard ended: its exit code or signal, or why it could not be started. */
export type Outcome = z.output<typeof Outcome>;

/**
 * Waits for a guard's report about how its command ended. The guard's own exit code means nothing. A busy
 * process may notice the guard's exit before it has read the report. Once the channel is closed, no report can
 * follow.
 * @returns the report. If the guard ended without one, `code` is null, and `signal` is the signal that ended
 * the guard, or the words `its guard` if none did.
 */
export function waitForOutcome(guard: ChildProcess): Promise<Outcome> {
  return new Promise((resolve) => {
    guard.on('error', (error) => resolve({ error: error.message }));
    guard.once('message', (message) => resolve(Outcome.parse(message)));
    guard.once('exit', (_code, signal) => {
      const endWithoutReport = () => resolve({ code: null, signal: signal ?? 'its guard' });
      if (guard.connected) guard.once('disconnect', endWithoutReport);
      else endWithoutReport();
    });
  });
}
