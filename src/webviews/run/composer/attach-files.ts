import * as l10n from '@vscode/l10n';
import type { ChosenFile } from '../../../extension/panels/run/messages.ts';
import { MAX_ATTACHED_BYTES } from '../../../terms/file-block.ts';
import type { RunPanelStore } from '../store.ts';

/**
 * Attaches pasted files to the message that is being written, all or none: the first file that is too large or unreadable
 * is reported, and nothing is attached.
 */
export async function attachFiles(store: RunPanelStore, files: readonly File[]): Promise<void> {
  const large = files.find(({ size }) => size > MAX_ATTACHED_BYTES);
  if (large !== undefined) {
    const most = MAX_ATTACHED_BYTES / 1_000_000;
    store.report(l10n.t('{0} is too large. Attach files of up to {1} MB.', large.name, most));
    return;
  }
  const read: ChosenFile[] = [];
  for (const file of files) {
    try {
      read.push(await readFile(file));
    } catch {
      // The browser's reason is in English, and rarely helps.
      store.report(l10n.t('{0} could not be read.', file.name));
      return;
    }
  }
  store.attach(read);
}

async function readFile(file: File): Promise<ChosenFile> {
  const { name, type } = file;
  const mime = type === '' ? 'application/octet-stream' : type;
  return { name, mime, data: await base64Of(file) };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
