import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { RunFileEditors } from '../../panels/run-file/run-file-editors.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';

export interface CopyPointedParts {
  readonly panels: () => Promise<RunPanels>;
  readonly tracePanels: () => Promise<TracePanels>;
  readonly runFiles: () => Promise<RunFileEditors>;
}

/** Copies what the context menu of a panel was opened on, which only the panel itself knows. */
export async function copyPointed(parts: CopyPointedParts, argument: unknown): Promise<void> {
  const { readWebview } = await import('../arguments/read-argument.ts');
  const open = await openOf(parts, readWebview(argument));
  open.active?.press('copy');
}

function openOf({ panels, tracePanels, runFiles }: CopyPointedParts, webview: string) {
  switch (webview) {
    case 'agentHarbor.trace':
      return tracePanels();
    case 'agentHarbor.runFile':
      return runFiles();
    default:
      return panels();
  }
}
