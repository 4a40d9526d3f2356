import * as l10n from '@vscode/l10n';

/** A value as JSON text, a text as it is. What is nested too deeply for that is said to be so, never thrown. */
export function toText(value: unknown, indent?: number): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, undefined, indent) ?? 'undefined';
  } catch {
    return l10n.t('Nested too deeply to show.');
  }
}
