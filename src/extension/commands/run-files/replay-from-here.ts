import type { ReplayParts } from '../../run-files/replay-lines.ts';
import { placeOfState } from '../arguments/place-of-state.ts';
import type { Command } from '../command.ts';

/** Replays what follows a state of a recorded thread, and shows where the replay differs. */
export const replayFromHere: Command<ReplayParts> = async (parts, argument) => {
  const place = await placeOfState(argument);
  const { replayFromHere } = await import('../../run-files/replay-from-here.ts');
  await replayFromHere(parts, place);
};
