import * as l10n from '@vscode/l10n';

/** A value as JSON; a string unchanged. Never throws: for a value that is nested too deeply, it returns a sentence. */
export function toText(value: unknown, indent?: number): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, undefined, indent) ?? 'undefined';
  } catch {
    return l10n.t('Nested too deeply to show.');
  }
}
