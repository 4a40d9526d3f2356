import type { MakeTestsParts } from '../../testing/make-tests.ts';
import type { Command } from '../command.ts';
import type { FindRunParts } from '../run-files/find-run.ts';
import { findTestSources } from './find-test-sources.ts';

/** Makes tests from the selected traces, or from the last run of a thread or of the active run panel. */
export const makeTest: Command<FindRunParts & MakeTestsParts> = async (parts, ...args) => {
  const sources = await findTestSources(parts, args);
  const { makeTests } = await import('../../testing/make-tests.ts');
  await makeTests(parts, sources);
};
