import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { Command } from '../command.ts';

/** Continues the stopped run in the active run panel. */
export const continueRun: Command<{ readonly panels: () => Promise<RunPanels> }> = async ({ panels }) =>
  (await panels()).active?.press('continue');
