import { VersionElement } from '../../views/assistants.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';

/** Makes a version of an assistant the one that runs use. */
export const activateVersion = rowCommand(
  [VersionElement],
  async ({ trees }: { readonly trees: Trees }, row) => {
    const { assistant_id, version } = row.version;
    await row.parent.opened.client.assistants.setLatest({ params: { assistant_id }, body: { version } });
    trees.assistants.refresh();
  },
);
