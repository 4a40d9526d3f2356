import type { Command } from '../command.ts';

/** Creates a langgraph.json for the graphs of a folder, asking which if there are several, and opens it. */
export const createConfig: Command = async () => {
  const { askAndCreateConfig } = await import('../../projects/ask-and-create-config.ts');
  await askAndCreateConfig();
};
