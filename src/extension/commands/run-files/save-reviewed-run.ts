import type { RunReviews } from '../../run-files/run-reviews.ts';
import type { Command } from '../command.ts';

/** Saves the run file in the active editor, which the user has reviewed. */
export const saveReviewedRun: Command<{ readonly runReviews: RunReviews }> = ({ runReviews }) => {
  const { active } = runReviews;
  if (active !== undefined) runReviews.answer(active, true);
};
