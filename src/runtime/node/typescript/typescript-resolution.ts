import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nearestConfig } from './typescript-config.ts';

/** The TypeScript extensions that the extension in an import may stand for. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
const RELATIVE = /^\.{1,2}(?:\/|$)/;
/** The names of files with TypeScript, including `.tsx`. */
export const TYPESCRIPT = /\.(?:[cm]?ts|tsx)$/;

/**
 * Files for an import that take precedence over the one that Node finds: from `paths` and `baseUrl` of the
 * nearest tsconfig.json, and the TypeScript that `./state.js` stands for, even if its build is next to it.
 * @returns URLs of files that exist
 */
export function preferredResolutions(specifier: string, parentUrl: string | undefined): string[] {
  const parent = importerOf(parentUrl);
  if (parent === undefined || specifier.startsWith('node:') || specifier.startsWith('file:')) return [];
  if (RELATIVE.test(specifier)) {
    return TYPESCRIPT.test(parent) ? sourcesOf(path.resolve(path.dirname(parent), specifier)) : [];
  }
  return path.isAbsolute(specifier) ? [] : nearestConfig(parent).places(specifier).flatMap(filesOf);
}

/**
 * Files for an import that Node does not find: `./state` stands for `state.ts` or `state/index.ts`.
 * @param missing the URL that Node has looked for, if any, such as one from the `exports` of a package whose
 * sources are run
 * @returns URLs of files that exist
 */
export function resolutions(specifier: string, parentUrl: string | undefined, missing?: string): string[] {
  const parent = importerOf(parentUrl);
  if (parent === undefined) return [];
  if (RELATIVE.test(specifier)) return filesOf(fileURLToPath(new URL(specifier, parentUrl)));
  const wanted = missing?.startsWith('file:') ? fileURLToPath(missing) : undefined;
  if (wanted === undefined) return [];
  // A workspace of a package manager links its own packages into `node_modules`.
  const folder = realFolder(path.dirname(wanted));
  return folder === undefined || isInPackage(folder) ? [] : filesOf(path.join(folder, path.basename(wanted)));
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    // The folder does not exist.
    return undefined;
  }
}

/** The importing file, if it is in the project; imports in packages are left to Node. */
function importerOf(url: string | undefined): string | undefined {
  if (url === undefined || !url.startsWith('file:')) return undefined;
  const file = fileURLToPath(url.split('?', 1)[0] ?? url);
  return isInPackage(file) ? undefined : file;
}

/**
 * The files that a path in an import may stand for, best first, as URLs: itself, its source, or with an
 * extension.
 */
function filesOf(place: string): string[] {
  const written = urlsOfExisting([place]);
  if (written.length > 0) return written;
  const sources = sourcesOf(place);
  if (sources.length > 0) return sources;
  return urlsOfExisting([
    ...EXTENSIONS.map((end) => place + end),
    ...EXTENSIONS.map((end) => path.join(place, `index${end}`)),
  ]);
}

/** The TypeScript files that a path with an extension of JavaScript stands for, as URLs. */
function sourcesOf(place: string): string[] {
  const { dir, name, ext } = path.parse(place);
  return urlsOfExisting((SOURCES[ext] ?? []).map((end) => path.join(dir, name + end)));
}

function urlsOfExisting(files: readonly string[]): string[] {
  return files
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => pathToFileURL(realpathSync.native(file)).href);
}

/** Whether a file or folder belongs to an installed package. */
export function isInPackage(file: string): boolean {
  return file.split(path.sep).includes('node_modules');
}
