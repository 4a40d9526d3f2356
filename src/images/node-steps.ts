import { block, copyFiles, type DockerfileLine, quoted, runIn } from './dockerfile-lines.ts';
import type { NodePart } from './node-part.ts';
import { secretMount } from './secret-files.ts';

/** The folder in which each package manager caches downloads for the next build. */
const CACHES = {
  npm: '/root/.npm',
  pnpm: '/root/.local/share/pnpm/store',
  yarn: '/usr/local/share/.cache/yarn',
  bun: '/root/.bun/install/cache',
} as const;

/**
 * Installs a project's Node packages, in a layer that is rebuilt only when its manifests change.
 * @param installCommand a command to run instead of the package manager's.
 */
export function nodeSteps(part: NodePart, installCommand: string | undefined): DockerfileLine[] {
  const { manager, dir, files, secretFiles, hasLockfile } = part;
  const mounts = [`type=cache,target=${CACHES[manager]}`, ...secretFiles.map(secretMount)];
  const what = hasLockfile ? 'Node packages, from the lockfile' : 'Node packages; without a lockfile';
  return block(what, ...copyFiles(files), runIn(dir, mounts, installCommand ?? commandOf(part)));
}

/** The command line of the package manager, which npm fetches if it is another one. */
function commandOf({ manager, install }: NodePart): string {
  const variables = Object.entries(install.env).map(([name, value]) => `${name}=${quoted(value)}`);
  const program =
    manager === 'npm' ? ['npm'] : ['npm', 'exec', '--yes', `--package=${install.package}`, '--', manager];
  return [...variables, ...[...program, ...install.args].map(quoted)].join(' ');
}
