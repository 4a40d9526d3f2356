import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The files that a relative TypeScript import may resolve to besides its literal path: `./state.js` is written for `state.ts`,
 * `./state` for `state.ts` or `state/index.ts`.
 *
 * @returns URLs of files that exist
 */
export function resolutions(specifier: string, parentUrl: string | undefined): string[] {
  const relative = /^\.{1,2}(?:\/|$)/.test(specifier);
  if (!relative || parentUrl === undefined || !parentUrl.startsWith('file:')) return [];
  if (isInPackage(fileURLToPath(parentUrl))) return [];
  const file = fileURLToPath(new URL(specifier, parentUrl));
  const { dir, name, ext } = path.parse(file);
  const stem = path.join(dir, name);
  const candidates =
    ext === '.js' || ext === '.jsx'
      ? [`${stem}.ts`, `${stem}.tsx`]
      : ext === '.mjs'
        ? [`${stem}.mts`]
        : ext === '.cjs'
          ? [`${stem}.cts`]
          : ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs'].flatMap((end) => [
              `${file}${end}`,
              path.join(file, `index${end}`),
            ]);
  return candidates.filter((candidate) => existsSync(candidate)).map((found) => pathToFileURL(found).href);
}

export function isInPackage(file: string): boolean {
  return file.split(path.sep).includes('node_modules');
}
