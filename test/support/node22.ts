import path from 'node:path';
import { installPackages } from './cache.ts';

/** A Node 22 that strips types by itself, from the package registry, fetched once into the cache. */
export async function node22(): Promise<string> {
  const { platform, arch } = process;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${platform === 'win32' ? 'win' : platform}-${arch}`;
  // The newest version that is published for all systems.
  const { folder } = await installPackages('node-22', { [name]: '22.23.2' });
  return path.join(folder, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
}
