import process from 'node:process';

/** Code of a graph has called `process.exit`. */
export class ProcessExitError extends Error {
  override readonly name = 'ProcessExitError';
  constructor(code: unknown) {
    super(
      `The graph's code called process.exit(${code === undefined ? '' : String(code)}), which would stop all runs in this process. Throw an error instead.`,
    );
  }
}

/**
 * Makes `process.exit` throw during runs, so that only the calling run fails. Without runs, it exits the process.
 */
export function refuseExit(hasRuns: () => boolean): void {
  const exit = process.exit;
  process.exit = (code) => {
    if (hasRuns()) throw new ProcessExitError(code);
    return exit.call(process, code);
  };
}
