import type { NodeInstall, NodeManager } from './node-install.ts';

/** Installs with npm, from its lockfile if there is one. */
export function npmInstall({ lockfile, version }: NodeManager): NodeInstall {
  return {
    args: [
      ...(lockfile === undefined ? ['install', '--no-package-lock'] : ['ci']),
      '--no-audit',
      '--no-fund',
      '--loglevel=warn',
    ],
    env: {},
    accepts: () => true,
    package: `npm@${version ?? 'latest'}`,
  };
}
