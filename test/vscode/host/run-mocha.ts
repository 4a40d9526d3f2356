import { format } from 'node:util';
import Mocha from 'mocha';
import '../../support/patient-limits.mjs';

/** Starts every line that the runner outside the extension host should print, and no other line. */
export const outputMark = '⟦agent-harbor-test⟧';

export interface MochaRunOptions {
  /** Only tests whose full title matches this regular expression. */
  readonly grep?: string | undefined;
  readonly color: boolean;
  /** The time limit of one test. */
  readonly timeoutMs: number;
}

/** The contents of the last line, as JSON. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Runs mocha inside the extension host.
 *
 * @param load imports the test files, once `describe` and `it` are defined
 * @throws when a test failed, which ends the host with a nonzero exit code
 */
export async function runMocha(load: () => Promise<void>, options: MochaRunOptions): Promise<void> {
  const { grep, color, timeoutMs } = options;
  const mocha = new Mocha({
    ui: 'bdd',
    reporter: 'spec',
    color,
    timeout: timeoutMs,
    ...(grep ? { grep } : {}),
  });
  Mocha.reporters.Base.consoleLog = (...values: unknown[]) => {
    for (const line of format(...values).split('\n')) console.log(outputMark + line);
  };
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await load();
  const totals = await new Promise<Totals>((resolve) => {
    const runner = mocha.run(() => {
      const { passes, failures, pending } = runner.stats ?? { passes: 0, failures: 1, pending: 0 };
      resolve({ passed: passes, failed: failures, skipped: pending });
    });
  });
  console.log(outputMark + JSON.stringify(totals));
  if (totals.failed > 0) throw new Error(`${totals.failed} tests failed`);
}
