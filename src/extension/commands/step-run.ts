import type { Command } from './command.ts';

/** Goes on in the run panel that is in front, up to the next node. */
export const stepRun: Command = async ({ panels }) => (await panels()).active?.press('step');
