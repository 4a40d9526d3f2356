import { readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { clonePackages } from './installed-packages.ts';

export interface EnvironmentMove {
  /** The folder of the earlier build, and that of the new one: absolute, without links, equally long. */
  readonly from: string;
  readonly to: string;
  /** The environment's folder, relative to both. */
  readonly environment: string;
}

/**
 * Copies a Python environment into another build. It knows its own place and that of packages which are installed from
 * the source's folders ("editable"): in launchers, in `pyvenv.cfg`, and in what the installers of such packages leave
 * beside the others. There the old place gives way to the new one; the two are equally long, so that launchers that are
 * programs stay whole. Everything else becomes hard links where the file system has them.
 * @throws Error when the places are not equally long, or something cannot be copied; the signal's reason when aborted.
 */
export async function cloneEnvironment(move: EnvironmentMove, signal: AbortSignal): Promise<void> {
  const { from, to, environment } = move;
  if (from.length !== to.length) throw new Error(`${to} and ${from} differ in length.`);
  const source = path.join(from, environment);
  // What a build made a link would be read, and changed, wherever it leads.
  if (!(await isOwn(source))) throw new Error(`${source} is a link.`);
  const target = path.join(to, environment);
  await clonePackages(source, target, signal);
  const names = spellings(from).map(
    (old, at) => [Buffer.from(old), Buffer.from(spellings(to)[at] ?? '')] as const,
  );
  for (const file of await placeKeepers(target)) await rewrite(file, names);
}

/** The spellings of a path in text, in strings of source code and JSON, and in URLs. */
function spellings(folder: string): string[] {
  return [folder, folder.replaceAll('\\', '\\\\'), pathToFileURL(folder).href];
}

/** Files of an environment that may contain paths. */
async function placeKeepers(environment: string): Promise<string[]> {
  const found = [path.join(environment, 'pyvenv.cfg')];
  for (const scripts of ['bin', 'Scripts']) found.push(...(await filesIn(path.join(environment, scripts))));
  for (const packages of await sitePackages(environment)) {
    for (const entry of await listEntries(packages)) {
      const place = path.join(packages, entry.name);
      if (entry.isFile() && /\.pth$|editable/.test(entry.name)) found.push(place);
      if (entry.isDirectory() && entry.name.endsWith('.dist-info'))
        found.push(path.join(place, 'direct_url.json'));
    }
    // Their compiled versions contain the old path as well.
    for (const file of await filesIn(path.join(packages, '__pycache__'))) {
      if (file.includes('editable')) await rm(file, { force: true });
    }
  }
  return found;
}

/** `lib/python3.12/site-packages`, or `Lib/site-packages` on Windows. */
async function sitePackages(environment: string): Promise<string[]> {
  if (process.platform === 'win32') return [path.join(environment, 'Lib', 'site-packages')];
  const lib = path.join(environment, 'lib');
  return (await listEntries(lib)).map((entry) => path.join(lib, entry.name, 'site-packages'));
}

async function rewrite(file: string, names: readonly (readonly [Buffer, Buffer])[]): Promise<void> {
  const before = (await isOwn(file)) ? await readFile(file).catch(() => undefined) : undefined;
  if (before === undefined) return;
  const after = Buffer.from(before);
  for (const [old, now] of names) {
    for (let at = after.indexOf(old); at >= 0; at = after.indexOf(old, at + now.length)) now.copy(after, at);
  }
  if (after.equals(before)) return;
  // Written to a new file, because this one may be a hard link to the earlier build's.
  const { mode } = await stat(file);
  await rm(file);
  await writeFile(file, after, { mode });
}

async function filesIn(folder: string): Promise<string[]> {
  return (await listEntries(folder))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(folder, entry.name));
}

async function listEntries(folder: string) {
  if (!(await isOwn(folder))) return [];
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Whether a path is what it says, and leads nowhere else. */
async function isOwn(place: string): Promise<boolean> {
  return realpath(place).then(
    (real) => real === place,
    () => false,
  );
}
