import path from 'node:path';
import { installPackages } from './cache.ts';

const version = '20.18.1';

/** The oldest Node that the graph runtime supports, from the package registry, fetched once into the cache. */
export async function node20(): Promise<string> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const { folder } = await installPackages('node-20', { [name]: version });
  return path.join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}
