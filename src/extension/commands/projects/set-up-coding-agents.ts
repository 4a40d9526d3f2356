import type { SetUpParts } from '../../coding-agents/write-client-files.ts';
import type { Command } from '../command.ts';

/** Writes the files that tell coding agents about the MCP server, after asking. */
export const setUpCodingAgents: Command<SetUpParts> = async (parts) => {
  const { writeClientFiles } = await import('../../coding-agents/write-client-files.ts');
  await writeClientFiles(parts);
};
