import path from 'node:path';

/** SQLite's codes of a file that is broken, and of one that never was a database. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** A file of the data folder that SQLite cannot read; the message names it and the ways out. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError';
}

/**
 * Opens a database, and says which file it was when that is damaged: nothing is thrown away without being asked.
 * @throws DamagedDatabaseError, and what `open` throws.
 */
export async function orDamaged<Result>(file: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!isDamage(cause)) throw error;
    const { dir, base } = path.parse(file);
    const sentence =
      `${file} is damaged (${cause.message}). Put a copy of it in its place (${path.join(dir, 'backups')} has one ` +
      `from before each update), or move ${base} and what begins with its name away to begin without it.`;
    throw new DamagedDatabaseError(sentence, { cause });
  }
}

function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false;
  return [CORRUPT, NOT_A_DATABASE].includes(error.errcode & 0xff);
}
