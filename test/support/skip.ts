import type { Context } from 'mocha';

/** Skips a test that this machine cannot run, and prints why. @param reason what is missing */
export function skip(test: Context, reason: string): never {
  console.log(`      skipped: ${reason}`);
  return test.skip();
}
