import * as vscode from 'vscode';
import { segment } from '../documents/address-segments.ts';
import type { StateAddress } from '../documents/read-only-documents.ts';

export const STATE_SCHEME = 'agent-harbor-state';

/**
 * Opens a state as a document that can be changed: saving it writes a new checkpoint.
 * @param name of the thread, shown in the path
 * @param step of the checkpoint, shown as the file name if known
 */
export async function editStateDocument(address: StateAddress, name: string, step?: number): Promise<void> {
  const { deployment, threadId, checkpointId } = address;
  const file = checkpointId === undefined ? 'state' : `state ${step ?? checkpointId.slice(-8)}`;
  const uri = vscode.Uri.from({
    scheme: STATE_SCHEME,
    path: `/${segment(name)}/${file}.json`,
    query: new URLSearchParams({
      deployment,
      thread: threadId,
      ...(checkpointId !== undefined && { checkpoint: checkpointId }),
    }).toString(),
  });
  await vscode.window.showTextDocument(uri, { preview: false });
}

/**
 * The state that a document shows. The document's address contains everything that is needed to restore its
 * editor after a restart.
 */
export function stateAddressOf(uri: vscode.Uri): StateAddress {
  const query = new URLSearchParams(uri.query);
  return {
    deployment: query.get('deployment') ?? '',
    threadId: query.get('thread') ?? '',
    checkpointId: query.get('checkpoint') ?? undefined,
  };
}
