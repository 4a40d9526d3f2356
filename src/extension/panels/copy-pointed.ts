import { z } from 'zod';
import type { CommandParts } from '../commands/command.ts';

/** VS Code's description of the place in a webview that its context menu was opened on. */
const MenuContext = z.looseObject({ webview: z.string() });

/** Copies what the context menu of a panel was opened on: the panel in front knows what that is. */
export async function copyPointed(
  { panels, tracePanels }: Pick<CommandParts, 'panels' | 'tracePanels'>,
  argument: unknown,
): Promise<void> {
  const { webview } = MenuContext.parse(argument);
  const open = webview === 'agentHarbor.trace' ? await tracePanels() : await panels();
  open.active?.press('copy');
}
