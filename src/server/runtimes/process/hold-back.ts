import type { Duplex } from 'node:stream';
import type { WorkClock } from './work-clock.ts';

/** The maximum bytes that are read from a runtime while its output cannot be stored. */
const MAX_BYTES = 4 * 1_048_576;

/**
 * Limits reading from a runtime while the database cannot be reached, so that its graphs wait instead of filling the
 * server's memory.
 * @param clock the clock of the runtime's time limits. It is stopped while nothing is read, because the expected answer may
 * already be in the pipe.
 * @param databaseBack returns a promise that resolves when output can be stored again; undefined while it can.
 */
export function holdBack(
  pipe: Duplex,
  clock: WorkClock,
  databaseBack: () => Promise<void> | undefined,
): void {
  let bytes = 0;
  pipe.on('data', (chunk: Buffer) => {
    const back = databaseBack();
    if (back === undefined) {
      bytes = 0;
      return;
    }
    bytes += chunk.length;
    if (bytes < MAX_BYTES || pipe.isPaused()) return;
    const resumeClock = clock.stop();
    pipe.pause();
    void back.then(() => {
      resumeClock();
      pipe.resume();
    });
  });
}
