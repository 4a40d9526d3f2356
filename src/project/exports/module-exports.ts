import path from 'node:path';
import type { ProjectFiles } from '../project-files.ts';
import { sourceLanguage } from '../reference.ts';
import type { ExportedName, ExportedNames } from './exported-names.ts';
import { javascriptExports } from './javascript-exports.ts';
import { pythonExports } from './python-exports.ts';

/** The maximum number of modules that are read for `export *`. */
const MAX_MODULES = 20;

/**
 * Reads the exports of a source file, including re-exports from other project files. They are not complete if one of
 * these files was not found, or there are too many.
 * @returns undefined when it is not a source file or does not exist.
 */
export async function readModuleExports(
  files: ProjectFiles,
  file: string,
): Promise<ExportedNames | undefined> {
  const own = await readExportsOfFile(files, file);
  if (own === undefined || own.from.length === 0) return own;
  const names = new Map<string, ExportedName>(own.names);
  const seen = new Set([file]);
  const open = own.from.map((specifier) => ({ specifier, of: file }));
  let { isComplete } = own;
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const found = await resolveModule(files, next.of, next.specifier);
    if (found === undefined) {
      isComplete = false;
      continue;
    }
    if (seen.has(found)) continue;
    const exported = await readExportsOfFile(files, found);
    if (exported === undefined) continue;
    if (seen.size > MAX_MODULES) {
      isComplete = false;
      continue;
    }
    seen.add(found);
    isComplete &&= exported.isComplete;
    // Positions are in another file, so they are left out.
    for (const name of exported.names.keys()) {
      if (name !== 'default' && !names.has(name)) names.set(name, { start: 0, end: 0 });
    }
    open.push(...exported.from.map((specifier) => ({ specifier, of: found })));
  }
  return { names, from: own.from, isComplete };
}

async function readExportsOfFile(files: ProjectFiles, file: string): Promise<ExportedNames | undefined> {
  const language = sourceLanguage(file);
  const text = language === undefined ? undefined : await files.read(file);
  if (text === undefined) return undefined;
  return language === 'python' ? pythonExports(text) : javascriptExports(file, text);
}

/** The file of a relative import, as Node, TypeScript and bundlers find it. */
async function resolveModule(
  files: ProjectFiles,
  importer: string,
  specifier: string,
): Promise<string | undefined> {
  if (!specifier.startsWith('.')) return undefined;
  const place = path.resolve(path.dirname(importer), specifier);
  const candidates = [
    place,
    place.replace(/\.([cm]?)js$/, '.$1ts'),
    ...['.ts', '.js', '.mts', '.mjs', '.tsx'].map((extension) => place + extension),
    ...['index.ts', 'index.js'].map((name) => path.join(place, name)),
  ];
  for (const candidate of candidates) {
    if ((await files.kind(candidate)) === 'file') return candidate;
  }
  return undefined;
}
