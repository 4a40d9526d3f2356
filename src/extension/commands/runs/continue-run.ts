import type { Command } from '../command.ts';

/** Continues the stopped run in the active run panel. */
export const continueRun: Command = async ({ panels }) => (await panels()).active?.press('continue');
