import { majorOf } from './major-of.ts';
import type { NodeInstall, NodeManager } from './node-install.ts';

/**
 * Installs with Bun, from its lockfile, which must match package.json. Graphs still run on Node.
 */
export function bunInstall({ lockfile, version }: NodeManager): NodeInstall {
  const line = version ?? '1';
  return {
    args: ['install', lockfile === undefined ? '--no-save' : '--frozen-lockfile', '--no-progress'],
    env: {},
    package: `bun@${line}`,
    accepts: (found) => majorOf(found) === majorOf(line),
  };
}
