import { invalid } from '../../../http/errors.ts';

/**
 * Reads the cursor of a list that is paged by position.
 * @returns the position; 0 without a cursor.
 * @throws HttpError 422
 */
export function readOffset(cursor: string | null | undefined): number {
  if (!cursor) return 0;
  const offset = Buffer.from(cursor, 'base64url').toString();
  if (/^\d{1,15}$/.test(offset)) return Number(offset);
  throw invalid(['body', 'cursor'], 'Use the cursor returned with the previous page.');
}

/** The cursor for the page that begins at a position. */
export function writeOffset(offset: number): string {
  return Buffer.from(String(offset)).toString('base64url');
}
