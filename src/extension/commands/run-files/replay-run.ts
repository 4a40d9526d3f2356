import type { ReplayParts } from '../../run-files/replay-lines.ts';
import type { Command } from '../command.ts';

/** Runs a run file again, answered from it, and shows where it went another way. */
export const replayRun: Command<ReplayParts> = async (parts, argument) => {
  const { replayRun } = await import('../../run-files/replay-run.ts');
  await replayRun(parts, argument);
};
