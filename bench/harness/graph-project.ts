import { createHash } from 'node:crypto';
import { copyFile, cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { installOnce, npm } from '../../test/support/cache.ts';

const benchFolder = path.resolve(import.meta.dirname, '..');
const graphsFolder = path.join(benchFolder, 'graphs');

/**
 * The bench graphs in a project like a user's: a folder outside this repository with its own `node_modules`.
 */
export function graphProject(): Promise<string> {
  return installed('bench-graphs', graphsFolder);
}

/** The same graphs in a folder where the peer's dev server is installed too. */
export function peerProject(): Promise<string> {
  return installed('bench-peer', path.join(benchFolder, 'peer'));
}

/** Installs the lockfile of `manifests` once, and puts the current graphs beside it. */
async function installed(name: string, manifests: string): Promise<string> {
  const lockfile = await readFile(path.join(manifests, 'package-lock.json'));
  const { folder } = await installOnce({
    name,
    versions: { lockfile: createHash('sha256').update(lockfile).digest('hex') },
    install: async (into) => {
      for (const file of ['package.json', 'package-lock.json']) {
        await copyFile(path.join(manifests, file), path.join(into, file));
      }
      await npm(['ci', '--ignore-scripts'], into);
      return {};
    },
  });
  await cp(graphsFolder, folder, {
    recursive: true,
    filter: (source) => !/^(package(-lock)?\.json|node_modules)$/.test(path.basename(source)),
  });
  return folder;
}
