import { isDictionary } from '../../../terms/fields.ts';

/** The metadata as typed. @returns `{}` for none, `undefined` when it is not a JSON object */
export function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isDictionary(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The items of a comma-separated list, each once. */
export function readList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '');
}

/** A recursion limit as typed. @returns `undefined` when it is invalid */
export function readLimit(text: string): number | undefined {
  const limit = Number(text);
  return Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
}
