import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeInstall, NodePackages } from './node-packages.ts';

/** Yarn, the classic one and the later ones, from its lockfile, which must fit package.json. */
export async function yarnInstall({ dir, lockfile, version }: NodePackages): Promise<NodeInstall> {
  const modern = version === undefined ? await isModern(dir) : !/^[01]\./.test(version);
  const frozen = modern ? ['--immutable'] : ['--frozen-lockfile', '--non-interactive', '--no-progress'];
  return {
    args: ['install', ...(lockfile === undefined ? [] : frozen)],
    // Graphs are loaded by Node itself, which finds packages in node_modules and knows no Plug'n'Play.
    env: modern ? { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0' } : {},
    package: modern ? `@yarnpkg/cli-dist@${version ?? '4'}` : `yarn@${version ?? '1'}`,
  };
}

/** Yarn 2 and later write their lockfiles as YAML with a `__metadata` entry. */
async function isModern(dir: string): Promise<boolean> {
  const text = await readFile(path.join(dir, 'yarn.lock'), 'utf8').catch(() => '');
  return /^__metadata:/m.test(text);
}
