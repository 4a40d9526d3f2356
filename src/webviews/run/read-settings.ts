import * as l10n from '@vscode/l10n';
import { isDictionary } from '../../terms/fields.ts';
import { parseStructured } from '../shared/parse-structured.ts';

/** Reads typed metadata. @returns `{}` for an empty field, `undefined` if it is not a JSON object */
export function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  const value = parseStructured(text);
  return isDictionary(value) ? value : undefined;
}

/** Reads a comma-separated list. @returns each item once */
export function readList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '');
}

/** Reads a typed count. @returns the count or what is wrong with the text; neither for an empty field */
export function readCount(text: string): { readonly count?: number; readonly problem?: string } {
  if (text === '') return {};
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= 1
    ? { count }
    : { problem: l10n.t('Enter a whole number of at least 1.') };
}
