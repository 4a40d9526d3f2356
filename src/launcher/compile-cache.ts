import { join } from 'node:path';
import envPaths from 'env-paths';

/**
 * Where Node keeps what it has compiled of our bundles and of users' modules, so that the next start need not. It is
 * the user's own folder: nobody else may lay code there.
 */
export function compileCacheDir(): string {
  return join(envPaths('agent-harbor', { suffix: '' }).cache, 'compiled');
}
