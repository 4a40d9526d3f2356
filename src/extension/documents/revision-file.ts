import { l10n } from 'vscode';
import type { Client } from '../../client/client.ts';
import type { RevisionFile } from '../../contract/control-plane/revision-files.ts';
import { readRevisionFiles } from '../../deploy/revision-files.ts';
import { sizeText } from '../wording/format.ts';

/**
 * Reads the text of a file of a revision.
 * @param query of the address that `revisionFileUri` made
 * @returns empty if the revision does not have the file; if its text is not sent, a note that says why
 * @throws RequestError
 */
export async function readRevisionFile(client: Client, query: URLSearchParams): Promise<string> {
  const { files } = await readRevisionFiles(client, {
    deploymentId: query.get('deployment') ?? '',
    revisionId: query.get('revision') ?? '',
  });
  const file = files.find(({ path }) => path === query.get('file'));
  return file === undefined ? '' : (file.text ?? noteInsteadOfText(file));
}

function noteInsteadOfText({ left_out, size_bytes, sha256 }: RevisionFile): string {
  const size = sizeText(size_bytes);
  if (left_out === 'secret') return l10n.t('{0}. Not shown, because it may contain secrets.', size);
  const reason =
    left_out === 'binary'
      ? l10n.t('{0}. Not shown, because it is not text.', size)
      : l10n.t('{0}. Not shown, because it is too large.', size);
  return `${reason}\nSHA-256: ${sha256 ?? ''}`;
}
