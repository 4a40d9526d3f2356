import { presetOf } from '../arguments/preset-of.ts';
import type { Command } from '../command.ts';

/** Asks what to deploy where, and deploys it. */
export const deploy: Command = async ({ deploying }, argument) => {
  await (await deploying()).deploy(presetOf(argument));
};
