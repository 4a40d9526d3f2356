import type { NodeInstall, NodePackages } from './node-packages.ts';

/** pnpm: from its lockfile, which must fit package.json. */
export function pnpmInstall({ lockfile, version }: NodePackages): NodeInstall {
  return {
    args: [
      'install',
      lockfile === undefined ? '--no-lockfile' : '--frozen-lockfile',
      '--reporter=append-only',
    ],
    // It runs as the version we name, and does not fetch itself again in the one that package.json names.
    env: { npm_config_manage_package_manager_versions: 'false' },
    package: `pnpm@${version ?? '10'}`,
  };
}
