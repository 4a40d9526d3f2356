import type { CommandParts } from '../commands/command.ts';

/** Copies what the context menu of a panel was opened on: the panel in front knows what that is. */
export async function copyPointed(
  { panels, tracePanels }: Pick<CommandParts, 'panels' | 'tracePanels'>,
  argument: unknown,
): Promise<void> {
  const { readWebview } = await import('../read-argument.ts');
  const open = readWebview(argument) === 'agentHarbor.trace' ? await tracePanels() : await panels();
  open.active?.press('copy');
}
