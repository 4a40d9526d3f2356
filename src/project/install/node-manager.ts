import path from 'node:path';
import { z } from 'zod';
import { fileSystemCode } from '../../process/error-codes.ts';
import { messageOf } from '../../process/message-of.ts';
import { BuildError } from '../build-error.ts';
import { filesOnDisk } from '../project-files.ts';
import { readText } from '../read-text.ts';
import { bunInstall } from './bun.ts';
import type { NodeInstall, NodeManager } from './node-install.ts';
import { npmInstall } from './npm.ts';
import { findPackageManager } from './package-manager.ts';
import { pnpmInstall } from './pnpm.ts';
import { yarnInstall } from './yarn.ts';

const Manifest = z.looseObject({ packageManager: z.string().optional() });

/**
 * Finds the package manager of a source, in the config's folder or above it, up to the top of the source.
 * @returns `undefined` when there is no package.json.
 * @throws BuildError for lockfiles of two managers in one folder, and a package.json that cannot be read.
 */
export async function findNodeManager(configDir: string, top: string): Promise<NodeManager | undefined> {
  const folders = upwards(configDir, top);
  for (const dir of folders) await requireManifest(dir);
  const found = await findPackageManager(filesOnDisk, folders);
  if (found === undefined || found.rivals.length === 0) return found;
  throw new BuildError(
    `${path.basename(found.dir)} has lockfiles of ${found.rivals.join(' and ')}. Remove one, or set "packageManager" in package.json.`,
  );
}

/** How to install the packages of a project with its package manager. */
export async function nodeInstall(found: NodeManager): Promise<NodeInstall> {
  switch (found.manager) {
    case 'npm':
      return npmInstall(found);
    case 'pnpm':
      return pnpmInstall(found);
    case 'yarn':
      return yarnInstall(found);
    case 'bun':
      return bunInstall(found);
  }
}

/** Checks that the package.json of a folder can be read, if there is one. @throws BuildError when it cannot */
async function requireManifest(dir: string): Promise<void> {
  const file = path.join(dir, 'package.json');
  try {
    Manifest.parse(JSON.parse(await readText(file)));
  } catch (error) {
    if (fileSystemCode(error) === 'ENOENT') return;
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
