import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

// An error that nobody caught fails whichever test runs at the time, and mocha loses it when that test is tried again.
process.on('uncaughtExceptionMonitor', (error, origin) => console.error(`      ${origin}:`, error));

/** Mocha's own output, why a test is tried again, and the result in a file for whoever sums the rings up. */
// biome-ignore lint/style/noDefaultExport: Mocha takes a reporter as a default export.
export default class ResultReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { EVENT_TEST_RETRY, EVENT_TEST_FAIL, EVENT_RUN_END } = Mocha.Runner.constants;
    const failures = [];
    const retries = [];
    const incident = (test, error) => ({ title: test.fullTitle(), error: String(error.stack ?? error) });
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      const { title, error: text } = incident(test, error);
      console.log(`      tried again: ${title}\n${text}`.replaceAll('\n', '\n        '));
      retries.push({ title, error: text });
    });
    runner.on(EVENT_TEST_FAIL, (test, error) => failures.push(incident(test, error)));
    runner.once(EVENT_RUN_END, () => {
      const { passes, failures: failed, pending } = this.stats;
      const file = process.env.AGENT_HARBOR_TEST_RESULT;
      const result = { passed: passes, failed, skipped: pending, failures, retries };
      if (file) writeFileSync(file, JSON.stringify(result));
    });
  }
}
