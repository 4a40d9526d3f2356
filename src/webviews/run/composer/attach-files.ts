import * as l10n from '@vscode/l10n';
import type { ChosenFile } from '../../../extension/panels/run/messages.ts';
import { MAX_ATTACHED_BYTES } from '../../../terms/file-block.ts';
import type { RunPanelStore } from '../store.ts';

/** Attaches pasted files to the message that is being written, and reports those that are too large or unreadable. */
export async function attachFiles(store: RunPanelStore, files: readonly File[]): Promise<void> {
  const read: ChosenFile[] = [];
  const problems: string[] = [];
  for (const file of files) {
    if (file.size > MAX_ATTACHED_BYTES) {
      const most = MAX_ATTACHED_BYTES / 1_000_000;
      problems.push(l10n.t('{0} is too large. Attach files of up to {1} MB.', file.name, most));
      continue;
    }
    try {
      read.push(await readFile(file));
    } catch {
      // The browser's reason is in English, and rarely helps.
      problems.push(l10n.t('{0} could not be read.', file.name));
    }
  }
  store.attach({ files: read, problems });
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
