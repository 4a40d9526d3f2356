import path from 'node:path';

/** The maximum number of files that are listed. */
const MAX_NAMED = 5;

/** Lists files in one line: by relative paths if they are in a folder, otherwise by absolute ones. */
export function describeFiles(dir: string, files: readonly string[]): string {
  const names = files.map((file) => {
    const inside = path.relative(dir, file);
    if (inside === '') return path.basename(dir);
    return inside.startsWith('..') || path.isAbsolute(inside) ? file : inside;
  });
  const more = names.length - MAX_NAMED;
  return more > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more` : names.join(', ');
}
