import { EXIT } from './exit-codes.ts';

/** The signals of Ctrl-C, a service manager, and a closed terminal; on Windows, SIGBREAK is Ctrl-Break. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** @returns a signal that is aborted by Ctrl-C and the like; the second time, the process exits at once */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}
