import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { Command } from '../command.ts';

/** Shows the thread of the active run panel in a second panel beside it. */
export const splitRunPanel: Command<{ readonly panels: () => Promise<RunPanels> }> = async ({ panels }) =>
  (await panels()).split();
