import type { RunReviews } from '../../run-files/run-reviews.ts';
import type { Command } from '../command.ts';
import { type FindRunParts, findRun } from './find-run.ts';

/** Saves the recorded run of a thread, a trace or the active run panel as a file. */
export const saveRun: Command<FindRunParts & { readonly runReviews: RunReviews }> = async (
  parts,
  ...args
) => {
  const run = await findRun(parts, args);
  const { saveRun } = await import('../../run-files/save-run.ts');
  await saveRun(run, parts.runReviews);
};
