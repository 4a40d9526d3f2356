import type { Deploying } from '../../deploy/deploying.ts';
import { presetOf } from '../arguments/preset-of.ts';
import type { Command } from '../command.ts';

/** Asks what to deploy and where, deploys it, and records its runs. */
export const deployAndRecord: Command<{ readonly deploying: () => Promise<Deploying> }> = async (
  { deploying },
  argument,
) => {
  await (await deploying()).deploy(presetOf(argument), { records: true });
};
