import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

// An uncaught error fails whichever test runs at the time, and mocha loses the error when that test is retried.
process.on('uncaughtExceptionMonitor', (error, origin) => console.error(`      ${origin}:`, error));

/**
 * Prints mocha's own output, and immediately why a test failed or is retried. Writes a file with the result
 * and duration of each test file for the summary of the rings.
 */
// biome-ignore lint/style/noDefaultExport: Mocha takes a reporter as a default export.
export default class ResultReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { EVENT_TEST_RETRY, EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING } = Mocha.Runner.constants;
    const { EVENT_SUITE_BEGIN, EVENT_SUITE_END, EVENT_RUN_END } = Mocha.Runner.constants;
    const files = {};
    const resultOf = ({ file = '' }) => {
      files[file] ??= { passed: 0, failed: 0, skipped: 0, failures: [], retries: [], tookMs: 0 };
      return files[file];
    };
    const incident = (test, error) => ({ title: test.fullTitle(), error: String(error.stack ?? error) });
    // The suites of a file itself, from before their first hook until after the last.
    let begunAt = 0;
    runner.on(EVENT_SUITE_BEGIN, ({ parent }) => {
      if (parent?.root) begunAt = performance.now();
    });
    runner.on(EVENT_SUITE_END, (suite) => {
      if (suite.parent?.root) resultOf(suite).tookMs += performance.now() - begunAt;
    });
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      const { title, error: text } = incident(test, error);
      console.log(`      tried again: ${title}\n${text}`.replaceAll('\n', '\n        '));
      resultOf(test).retries.push({ title, error: text });
    });
    runner.on(EVENT_TEST_PASS, (test) => {
      resultOf(test).passed += 1;
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      resultOf(test).skipped += 1;
    });
    // Hooks fail here, too: mocha counts them like tests.
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      const result = resultOf(test);
      const { title, error: text } = incident(test, error);
      console.log(text.replaceAll(/^/gm, '        '));
      result.failed += 1;
      result.failures.push({ title, error: text });
    });
    runner.once(EVENT_RUN_END, () => {
      const file = process.env.AGENT_HARBOR_TEST_RESULT;
      if (file) writeFileSync(file, JSON.stringify(files));
    });
  }
}
