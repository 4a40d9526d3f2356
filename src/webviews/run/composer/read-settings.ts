import { isDictionary } from '../../../terms/fields.ts';

/** The metadata that was typed. @returns `{}` for none, `undefined` when it is not a JSON object */
export function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isDictionary(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The words of a list with commas, each once. */
export function readList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '');
}

/** A recursion limit that was typed. @returns `undefined` when it is none */
export function readLimit(text: string): number | undefined {
  const limit = Number(text);
  return Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
}
