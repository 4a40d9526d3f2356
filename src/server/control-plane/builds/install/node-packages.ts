import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BuildError } from '../build-error.ts';

/** How a Node project's packages are installed. */
export interface NodePackages {
  readonly manager: 'npm' | 'pnpm' | 'yarn';
  /** The folder of the lockfile, or of the nearest package.json. */
  readonly dir: string;
  readonly lockfile: string | undefined;
  readonly args: readonly string[];
  /** The npm package that has the manager, for machines without it. */
  readonly package: string;
}

const LOCKFILES = [
  ['npm-shrinkwrap.json', 'npm'],
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
] as const;

const Manifest = z.looseObject({ packageManager: z.string().optional() });

/**
 * Looks from the config's folder upwards, to the top of the source, for a lockfile, and else for a package.json.
 * @returns `undefined` when there is no package.json.
 * @throws BuildError for two managers' lockfiles beside each other.
 */
export async function findNodePackages(configDir: string, top: string): Promise<NodePackages | undefined> {
  let manifestDir: string | undefined;
  for (const dir of upwards(configDir, top)) {
    if (!(await exists(path.join(dir, 'package.json')))) continue;
    manifestDir ??= dir;
    const found = await lockfileIn(dir);
    if (found !== undefined) return describe(dir, found);
  }
  return manifestDir === undefined ? undefined : describe(manifestDir, undefined);
}

async function lockfileIn(dir: string): Promise<(typeof LOCKFILES)[number] | undefined> {
  const present = [];
  for (const lockfile of LOCKFILES) if (await exists(path.join(dir, lockfile[0]))) present.push(lockfile);
  const managers = new Set(present.map(([, manager]) => manager));
  const declared = (await manifestOf(dir)).packageManager?.split('@')[0];
  const chosen = present.find(([, manager]) => manager === declared) ?? present[0];
  if (managers.size > 1 && chosen?.[1] !== declared) {
    throw new BuildError(
      `${path.basename(dir)} has lockfiles of ${[...managers].join(' and ')}; remove one, or name the package manager in package.json ("packageManager").`,
    );
  }
  return chosen;
}

async function describe(
  dir: string,
  lockfile: (typeof LOCKFILES)[number] | undefined,
): Promise<NodePackages> {
  const declared = (await manifestOf(dir)).packageManager;
  const manager = lockfile?.[1] ?? managerOf(declared);
  const version = declared?.match(/^\w+@([\w.-]+)/)?.[1];
  const base = { dir, lockfile: lockfile?.[0], manager };
  switch (manager) {
    case 'npm':
      return {
        ...base,
        args: [
          ...(lockfile === undefined ? ['install', '--no-package-lock'] : ['ci']),
          '--no-audit',
          '--no-fund',
          '--loglevel=warn',
        ],
        package: `npm@${version ?? 'latest'}`,
      };
    case 'pnpm':
      return {
        ...base,
        args: [
          'install',
          lockfile === undefined ? '--no-lockfile' : '--frozen-lockfile',
          '--reporter=append-only',
        ],
        package: `pnpm@${version ?? '10'}`,
      };
    case 'yarn': {
      const modern = await isModernYarn(dir);
      const frozen = modern ? ['--immutable'] : ['--frozen-lockfile', '--non-interactive', '--no-progress'];
      return {
        ...base,
        args: ['install', ...(lockfile === undefined ? [] : frozen)],
        package: modern ? `@yarnpkg/cli-dist@${version ?? '4'}` : `yarn@${version ?? '1'}`,
      };
    }
  }
}

function managerOf(declared: string | undefined): NodePackages['manager'] {
  const name = declared?.split('@')[0];
  return name === 'pnpm' || name === 'yarn' ? name : 'npm';
}

/** Yarn 2 and later write their lockfiles as YAML with a `__metadata` entry. */
async function isModernYarn(dir: string): Promise<boolean> {
  const text = await readFile(path.join(dir, 'yarn.lock'), 'utf8').catch(() => '');
  return /^__metadata:/m.test(text);
}

async function manifestOf(dir: string): Promise<z.output<typeof Manifest>> {
  const file = path.join(dir, 'package.json');
  try {
    return Manifest.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new BuildError(
      `${path.basename(dir)}/package.json cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The folders from `from` to `top`, both included. */
export function upwards(from: string, top: string): string[] {
  const folders = [from];
  for (let dir = from; dir !== top && dir !== path.dirname(dir); ) {
    dir = path.dirname(dir);
    folders.push(dir);
  }
  return folders;
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
