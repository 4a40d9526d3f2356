import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { Command } from '../command.ts';

/** Keeps the active trace panel, so that the next trace opens in another one. */
export const keepTraceOpen: Command<{ readonly tracePanels: () => Promise<TracePanels> }> = async ({
  tracePanels,
}) => (await tracePanels()).keepActive();
