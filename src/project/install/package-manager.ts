import path from 'node:path';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { isObject } from '../../process/objects.ts';
import type { ProjectFiles } from '../project-files.ts';

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const LOCKFILES = [
  ['npm-shrinkwrap.json', 'npm'],
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const satisfies readonly (readonly [string, PackageManager])[];

/** The package manager that a project uses, and where. */
export interface FoundManager {
  readonly manager: PackageManager;
  /** The folder of the lockfile, or of the nearest package.json. */
  readonly dir: string;
  readonly lockfile: string | undefined;
  /** Its version in package.json. */
  readonly version: string | undefined;
  /** The managers of the lockfiles in `dir`, if there are several and package.json names none of them. */
  readonly rivals: readonly PackageManager[];
}

/**
 * Finds the package manager of a project, for builds, checks, images and hints alike: that of the nearest lockfile next
 * to a package.json, else the nearest `packageManager` in a package.json, else npm.
 * @param folders to search, innermost first.
 * @returns undefined where there is no package.json.
 */
export async function findPackageManager(
  files: Pick<ProjectFiles, 'kind' | 'read'>,
  folders: readonly string[],
): Promise<FoundManager | undefined> {
  let nearest: string | undefined;
  let declared: Declared | undefined;
  for (const dir of folders) {
    const manifest = await files.read(path.join(dir, 'package.json'));
    if (manifest === undefined) continue;
    nearest ??= dir;
    const here = declaredIn(manifest);
    declared ??= here;
    const locked = await lockedIn(files, dir, here?.manager);
    if (locked === undefined) continue;
    // The version declared for another package manager does not apply.
    const version = here?.manager === locked.manager ? here.version : undefined;
    return { ...locked, dir, version };
  }
  if (nearest === undefined) return undefined;
  const { manager, version } = declared ?? { manager: 'npm', version: undefined };
  return { manager, dir: nearest, lockfile: undefined, version, rivals: [] };
}

/** The command that adds packages, or updates them to their newest versions. */
export function addCommand(manager: PackageManager): string {
  return manager === 'npm' ? 'npm install' : `${manager} add`;
}

async function lockedIn(
  files: Pick<ProjectFiles, 'kind'>,
  dir: string,
  declared: PackageManager | undefined,
): Promise<Pick<FoundManager, 'manager' | 'lockfile' | 'rivals'> | undefined> {
  const present: (typeof LOCKFILES)[number][] = [];
  for (const lockfile of LOCKFILES)
    if ((await files.kind(path.join(dir, lockfile[0]))) === 'file') present.push(lockfile);
  const chosen = present.find(([, manager]) => manager === declared) ?? present[0];
  if (chosen === undefined) return undefined;
  const [lockfile, manager] = chosen;
  const managers = [...new Set(present.map(([, name]) => name))];
  return { manager, lockfile, rivals: managers.length > 1 && manager !== declared ? managers : [] };
}

interface Declared {
  readonly manager: PackageManager;
  readonly version: string | undefined;
}

/** The package manager in `packageManager`, such as `pnpm@9.1.0` or `yarn@4.5.0+sha512.…`. */
function declaredIn(manifest: string): Declared | undefined {
  const parsed = jsonOrUndefined(manifest);
  const text = isObject(parsed) ? parsed.packageManager : undefined;
  const [, name, version] = (typeof text === 'string' && /^(\w+)(?:@([\w.-]+))?/.exec(text)) || [];
  const known = LOCKFILES.find(([, manager]) => manager === name);
  return known && { manager: known[1], version };
}
