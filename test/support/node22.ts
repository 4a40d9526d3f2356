import path from 'node:path';
import { installPackages } from './cache.ts';

/** A Node 22 that strips types by itself, from the package registry, fetched once into the cache. */
export async function node22(): Promise<string> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const { folder } = await installPackages('node-22', { [name]: '22.23.5' });
  return path.join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}
