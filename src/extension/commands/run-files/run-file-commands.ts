import { importRun } from './import-run.ts';
import { replayFromHere } from './replay-from-here.ts';
import { replayRun } from './replay-run.ts';
import { saveReviewedRun } from './save-reviewed-run.ts';
import { saveRun } from './save-run.ts';

/** Commands about recorded runs and their files. */
export const runFileCommands = {
  importRun,
  replayFromHere,
  replayRun,
  saveReviewedRun,
  saveRun,
};
