import { isDictionary } from '../../../terms/fields.ts';

/** Reads typed metadata. @returns `{}` for an empty field, `undefined` if it is not a JSON object */
export function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isDictionary(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a comma-separated list. @returns each item once */
export function readList(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '');
}

/** Reads a typed recursion limit. @returns `undefined` if it is empty or invalid */
export function readLimit(text: string): number | undefined {
  const limit = Number(text);
  return Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
}
