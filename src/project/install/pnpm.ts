import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ifPresent } from '../../process/if-present.ts';
import { majorOf } from './major-of.ts';
import type { NodeInstall, NodeManager } from './node-install.ts';

/** Installs with pnpm, from its lockfile, which must match package.json. */
export async function pnpmInstall({ dir, lockfile, version }: NodeManager): Promise<NodeInstall> {
  const line = version ?? (await readMajorVersion(dir));
  return {
    args: [
      'install',
      lockfile === undefined ? '--no-lockfile' : '--frozen-lockfile',
      '--reporter=append-only',
      // Omits the progress line of each package.
      '--loglevel=warn',
    ],
    // Keeps pnpm from downloading the version in package.json.
    env: { npm_config_manage_package_manager_versions: 'false' },
    package: `pnpm@${line}`,
    // pnpm 9 and later read the same lockfiles.
    accepts: (found) =>
      version === undefined && line === '10' ? majorOf(found) >= 9 : majorOf(found) === majorOf(line),
  };
}

/** The major version of pnpm that reads the lockfile of a folder without converting it. */
async function readMajorVersion(dir: string): Promise<string> {
  const text = (await ifPresent(readFile(path.join(dir, 'pnpm-lock.yaml'), 'utf8'))) ?? '';
  const format = /^lockfileVersion: '?(\d+)/m.exec(text)?.[1];
  if (format === '5') return '7';
  return format === '6' ? '8' : '10';
}
