import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { VersionElement } from '../../views/assistants.ts';
import { rowCommand } from '../command.ts';

/** Shows a version of an assistant as JSON. */
export const openVersion = rowCommand(
  [VersionElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    const { parent, version } = row;
    const { assistant_id, name } = version;
    await documents.showVersion(parent.deployment, assistant_id, name, version.version);
  },
);
