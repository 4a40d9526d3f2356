import { join } from 'node:path';
import envPaths from 'env-paths';

/**
 * The folder of Node's compile cache for our bundles and users' modules. Only the user can write to it, so that no other
 * user can place code there.
 */
export function compileCacheDir(): string {
  return join(envPaths('agent-harbor', { suffix: '' }).cache, 'compiled');
}
