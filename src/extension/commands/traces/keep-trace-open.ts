import type { Command } from '../command.ts';

/** Keeps the trace panel in front, so that the next trace opens in another. */
export const keepTraceOpen: Command = async ({ tracePanels }) => (await tracePanels()).keepActive();
