import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { Command } from '../command.ts';

/** Runs the next superstep in the active run panel, and stops again. */
export const stepRun: Command<{ readonly panels: () => Promise<RunPanels> }> = async ({ panels }) =>
  (await panels()).active?.press('step');
