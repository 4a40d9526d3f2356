import type { CommandParts } from '../command.ts';

/** Copies what the context menu of a panel was opened on: the panel in front knows what that is. */
export async function copyPointed(
  parts: Pick<CommandParts, 'panels' | 'tracePanels' | 'runFiles'>,
  argument: unknown,
): Promise<void> {
  const { readWebview } = await import('../arguments/read-argument.ts');
  const open = await openOf(parts, readWebview(argument));
  open.active?.press('copy');
}

function openOf({ panels, tracePanels, runFiles }: Parameters<typeof copyPointed>[0], webview: string) {
  switch (webview) {
    case 'agentHarbor.trace':
      return tracePanels();
    case 'agentHarbor.runFile':
      return runFiles();
    default:
      return panels();
  }
}
