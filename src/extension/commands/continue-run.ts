import type { Command } from './command.ts';

/** Goes on with what has stopped in the run panel that is in front. */
export const continueRun: Command = async ({ panels }) => (await panels()).active?.press('continue');
