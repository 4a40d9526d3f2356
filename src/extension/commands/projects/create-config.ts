import type { Command } from '../command.ts';

/**
 * Creates a langgraph.json for the graphs that are found in a folder, and opens it. If there are several,
 * asks which to list.
 */
export const createConfig: Command = async () => {
  const { askAndCreateConfig } = await import('../../projects/ask-and-create-config.ts');
  await askAndCreateConfig();
};
