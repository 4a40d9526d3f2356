import { EXIT } from './exit-codes.ts';

/** Signals to stop: Ctrl-C, a service manager, a closed terminal; SIGBREAK is Ctrl-Break on Windows. */
const SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Aborted by the first signal; a second one exits immediately. */
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
