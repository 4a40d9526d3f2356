import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../process/message-of.ts';
import { BuildError } from '../build-error.ts';
import { bunInstall } from './bun.ts';
import type { NodeInstall, NodePackages } from './node-install.ts';
import { npmInstall } from './npm.ts';
import { pnpmInstall } from './pnpm.ts';
import { yarnInstall } from './yarn.ts';

const LOCKFILES = [
  ['npm-shrinkwrap.json', 'npm'],
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const;

const Manifest = z.looseObject({ packageManager: z.string().optional() });

/**
 * Looks from the config's folder upwards, to the top of the source, for a lockfile, and else for a package.json.
 * @returns `undefined` when there is no package.json.
 * @throws BuildError for two managers' lockfiles beside each other.
 */
export async function findNodePackages(configDir: string, top: string): Promise<NodePackages | undefined> {
  let manifestDir: string | undefined;
  for (const dir of upwards(configDir, top)) {
    if (!(await exists(path.join(dir, 'package.json')))) continue;
    manifestDir ??= dir;
    const found = await lockfileIn(dir);
    if (found !== undefined) return describe(dir, found);
  }
  return manifestDir === undefined ? undefined : describe(manifestDir, undefined);
}

/** How the manager of a project is run. */
export async function nodeInstall(packages: NodePackages): Promise<NodeInstall> {
  switch (packages.manager) {
    case 'npm':
      return npmInstall(packages);
    case 'pnpm':
      return pnpmInstall(packages);
    case 'yarn':
      return yarnInstall(packages);
    case 'bun':
      return bunInstall(packages);
  }
}

async function lockfileIn(dir: string): Promise<(typeof LOCKFILES)[number] | undefined> {
  const present = [];
  for (const lockfile of LOCKFILES) if (await exists(path.join(dir, lockfile[0]))) present.push(lockfile);
  const managers = new Set(present.map(([, manager]) => manager));
  const declared = (await readManifest(dir)).packageManager?.split('@')[0];
  const chosen = present.find(([, manager]) => manager === declared) ?? present[0];
  if (managers.size > 1 && chosen?.[1] !== declared) {
    throw new BuildError(
      `${path.basename(dir)} has lockfiles of ${[...managers].join(' and ')}. Remove one, or set "packageManager" in package.json.`,
    );
  }
  return chosen;
}

async function describe(
  dir: string,
  lockfile: (typeof LOCKFILES)[number] | undefined,
): Promise<NodePackages> {
  const declared = (await readManifest(dir)).packageManager;
  const manager = lockfile?.[1] ?? managerOf(declared);
  // The version declared for another package manager does not apply.
  const version = managerOf(declared) === manager ? declared?.match(/^\w+@([\w.-]+)/)?.[1] : undefined;
  return { dir, lockfile: lockfile?.[0], manager, version };
}

function managerOf(declared: string | undefined): NodePackages['manager'] {
  const name = declared?.split('@')[0];
  return name === 'pnpm' || name === 'yarn' || name === 'bun' ? name : 'npm';
}

async function readManifest(dir: string): Promise<z.output<typeof Manifest>> {
  const file = path.join(dir, 'package.json');
  try {
    return Manifest.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new BuildError(`${path.basename(dir)}/package.json could not be read: ${messageOf(error)}`);
  }
}

/** The folders from `from` to `top`, both included. */
export function upwards(from: string, top: string): string[] {
  const folders = [from];
  for (let dir = from; dir !== top && dir !== path.dirname(dir); ) {
    dir = path.dirname(dir);
    folders.push(dir);
  }
  return folders;
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
