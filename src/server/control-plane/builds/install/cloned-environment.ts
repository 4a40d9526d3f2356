import { readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ifPresent } from '../../../../process/if-present.ts';
import { clonePackages } from './installed-packages.ts';

interface EnvironmentMove {
  /** The folder of the earlier build: an absolute path without links. */
  readonly from: string;
  /** The folder of the new build: an absolute path without links, of the same length. */
  readonly to: string;
  /** The environment's folder, relative to both. */
  readonly environment: string;
}

/**
 * Copies a Python environment into another build. Files become hard links if the file system supports them,
 * except files that contain the path of the build, which are rewritten.
 * @throws Error if the paths differ in length, or something cannot be copied; the signal's reason when
 * aborted.
 */
export async function cloneEnvironment(move: EnvironmentMove, signal: AbortSignal): Promise<void> {
  const { from, to, environment } = move;
  if (from.length !== to.length) throw new Error(`${to} and ${from} differ in length.`);
  const source = path.join(from, environment);
  // A build could have replaced its environment by a link: files elsewhere would then be read and changed.
  if (!(await isRealPath(source))) throw new Error(`${source} is a link.`);
  const target = path.join(to, environment);
  await clonePackages(source, target, signal);
  await rewritePaths(target, from, to);
}

/**
 * Updates the paths in a Python environment whose build has moved: in launchers, in `pyvenv.cfg`, and in the files of
 * packages that are installed from the source's folders ("editable").
 * @param environment the environment's folder: an absolute path without links.
 * @param from the earlier folder of the build.
 * @throws Error for a binary file that contains the path, unless both paths have the same length.
 */
export async function rewritePaths(environment: string, from: string, to: string): Promise<void> {
  await removeCompiledFinders(environment);
  for (const file of await filesWithPaths(environment)) await rewrite(file, replacements(from, to));
}

/** A spelling of the earlier path, and the same spelling of the new one. */
type Replacement = readonly [old: string, now: string];

/** How a path may be spelled: in text, in strings of source code and JSON, and in URLs. */
const SPELLINGS: readonly ((folder: string) => string)[] = [
  (folder) => folder,
  (folder) => folder.replaceAll('\\', '\\\\'),
  (folder) => pathToFileURL(folder).href,
];

function replacements(from: string, to: string): Replacement[] {
  return SPELLINGS.map((spell) => [spell(from), spell(to)]);
}

/** Removes the bytecode of editable packages, which contains the old path; Python compiles it again. */
async function removeCompiledFinders(environment: string): Promise<void> {
  for (const packages of await sitePackages(environment))
    for (const file of await filesIn(path.join(packages, '__pycache__')))
      if (file.includes('editable')) await rm(file, { force: true });
}

/** The files of an environment that may contain its path. */
async function filesWithPaths(environment: string): Promise<string[]> {
  const found = [path.join(environment, 'pyvenv.cfg')];
  for (const scripts of ['bin', 'Scripts']) found.push(...(await filesIn(path.join(environment, scripts))));
  for (const packages of await sitePackages(environment)) {
    for (const entry of await listEntries(packages)) {
      const place = path.join(packages, entry.name);
      if (entry.isFile() && /\.pth$|editable/.test(entry.name)) found.push(place);
      if (entry.isDirectory() && entry.name.endsWith('.dist-info'))
        found.push(path.join(place, 'direct_url.json'));
    }
  }
  return found;
}

/** The folders of packages: `lib/python3.12/site-packages`, or `Lib/site-packages` on Windows. */
async function sitePackages(environment: string): Promise<string[]> {
  if (process.platform === 'win32') return [path.join(environment, 'Lib', 'site-packages')];
  const lib = path.join(environment, 'lib');
  return (await listEntries(lib)).map((entry) => path.join(lib, entry.name, 'site-packages'));
}

/** Replaces paths in a file. A file that is missing, or is a link, stays unchanged. */
async function rewrite(file: string, paths: readonly Replacement[]): Promise<void> {
  const before = (await isRealPath(file)) ? await ifPresent(readFile(file)) : undefined;
  if (before === undefined || !paths.some(([old]) => before.includes(old))) return;
  const isText = !before.includes(0);
  // Launchers on Windows are executables, in which offsets must not change.
  if (!isText && paths.some(([old, now]) => Buffer.byteLength(old) !== Buffer.byteLength(now)))
    throw new Error(`${file} is a binary file that contains its path.`);
  // Each byte becomes one character, so that all other bytes stay unchanged.
  let after = before.toString('latin1');
  for (const [old, now] of paths) after = after.replaceAll(latin1(old), () => latin1(now));
  // The text is written to a new file, because this one may be a hard link to the file of the earlier build.
  const { mode } = await stat(file);
  await rm(file);
  await writeFile(file, after, { encoding: 'latin1', mode });
}

/** The bytes of a text as characters. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

async function filesIn(folder: string): Promise<string[]> {
  return (await listEntries(folder))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(folder, entry.name));
}

async function listEntries(folder: string) {
  if (!(await isRealPath(folder))) return [];
  return (await ifPresent(readdir(folder, { withFileTypes: true }))) ?? [];
}

/** Whether a path exists and contains no links. */
async function isRealPath(place: string): Promise<boolean> {
  return realpath(place).then(
    (real) => real === place,
    () => false,
  );
}
