import { EXIT } from './exit-codes.ts';

/** The signals of Ctrl-C, a service manager, and a closed terminal; on Windows, SIGBREAK is Ctrl-Break. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @returns an AbortSignal that Ctrl-C and similar signals abort. A second Ctrl-C ends the process at once.
 */
export function abortOnInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}
