import { setTimeout as sleep } from 'node:timers/promises';

export interface PauseOptions {
  /** Ends the pause early, which is not an error: the caller checks the signal. */
  readonly signal?: AbortSignal;
  /** Whether the pause keeps the process alive; true by default. */
  readonly ref?: boolean;
}

/** Waits for a time, or until a signal is aborted. Never throws. */
export function pause(ms: number, options: PauseOptions): Promise<void> {
  return sleep(ms, undefined, options).catch(() => {});
}
