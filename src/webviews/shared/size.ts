import * as l10n from '@vscode/l10n';

/** `152 bytes`, `12 KB`, `3.4 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? l10n.t('1 byte') : l10n.t('{0} bytes', bytes);
  return bytes < 1_000_000
    ? l10n.t('{0} KB', Math.round(bytes / 1000))
    : l10n.t('{0} MB', (bytes / 1_000_000).toFixed(1));
}
