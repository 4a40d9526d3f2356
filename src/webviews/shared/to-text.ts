import * as l10n from '@vscode/l10n';

/** A value as JSON; a string unchanged. For too deeply nested values, a sentence that says so; never throws. */
export function toText(value: unknown, indent?: number): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value, undefined, indent) ?? 'undefined';
  } catch {
    return l10n.t('Nested too deeply to show.');
  }
}
