import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { VersionElement } from '../../views/assistants.ts';
import { rowCommand } from '../command.ts';

/** Shows a version of an assistant as JSON. */
export const openVersion = rowCommand(
  [VersionElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    const { deployment } = row.parent;
    const { assistant_id: assistant, name, version } = row.version;
    await documents.showVersion({ deployment, assistant, name, version });
  },
);
