import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

// What nobody caught fails whichever test runs at the time, and mocha loses it when that test is tried again.
process.on('uncaughtExceptionMonitor', (error, origin) => console.error(`      ${origin}:`, error));

/** Mocha's own output, why a test is tried again, and the counts in a file for whoever sums the rings up. */
// biome-ignore lint/style/noDefaultExport: Mocha takes a reporter as a default export.
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_RETRY, (test, error) => {
      console.log(
        `      tried again: ${test.fullTitle()}\n${error.stack ?? error}`.replaceAll('\n', '\n        '),
      );
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const file = process.env.AGENT_HARBOR_TEST_COUNTS;
      if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
    });
  }
}
