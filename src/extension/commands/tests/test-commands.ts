import { makeTest } from './make-test.ts';
import { openTestTrace } from './open-test-trace.ts';

/** Commands about tests of the Testing view. */
export const testCommands = {
  makeTest,
  openTestTrace,
};
