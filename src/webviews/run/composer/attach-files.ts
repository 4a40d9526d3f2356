import * as l10n from '@vscode/l10n';
import type { ChosenFile } from '../../../extension/panels/run/messages.ts';
import type { RunPanelStore } from '../store.ts';

/** The same limit as the host's, whose value cannot be imported here. */
const MAX_FILE_BYTES = 10_000_000;

/** Attaches pasted files to the message that is being written. */
export async function attachFiles(store: RunPanelStore, files: readonly File[]): Promise<void> {
  const large = files.find(({ size }) => size > MAX_FILE_BYTES);
  if (large !== undefined) {
    const most = MAX_FILE_BYTES / 1_000_000;
    store.report(l10n.t('{0} is too large. Attach files of up to {1} MB.', large.name, most));
    return;
  }
  store.attach(await Promise.all(files.map(readFile)));
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
