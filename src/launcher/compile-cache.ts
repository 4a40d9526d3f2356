import { join } from 'node:path';
import envPaths from 'env-paths';

/**
 * Node's compile cache for our bundles and users' modules. It is a folder only the user can write to, so that
 * no other user can place code in it.
 */
export function compileCacheDir(): string {
  return join(envPaths('agent-harbor', { suffix: '' }).cache, 'compiled');
}
