import type { ReplayParts } from '../../run-files/replay-lines.ts';
import type { Command } from '../command.ts';

/** Runs a run file again with its recorded answers, and shows where the replay differs. */
export const replayRun: Command<ReplayParts> = async (parts, argument) => {
  const { replayRun } = await import('../../run-files/replay-run.ts');
  await replayRun(parts, argument);
};
