import path from 'node:path';

/** The maximum number of files in one sentence. */
const MAX_NAMED = 5;

/** Files in words: those in a folder by their relative paths, others by their absolute paths. */
export function changedFiles(dir: string, files: readonly string[]): string {
  const names = files.map((file) => {
    const inside = path.relative(dir, file);
    if (inside === '') return path.basename(dir);
    return inside.startsWith('..') || path.isAbsolute(inside) ? file : inside;
  });
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more` : names.join(', ');
}
