import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { withLock } from './lock.ts';
import { patience } from './wait.ts';

/** The folder of this project: what relative paths of tests and scripts start from. */
export const projectRoot = path.resolve(import.meta.dirname, '../..');

const stampSchema = z.object({
  name: z.string(),
  versions: z.record(z.string(), z.string()),
  notes: z.record(z.string(), z.string()),
});

/** An installation in a folder of the cache; `notes` is whatever the installer wants remembered. */
export type Stamp = z.infer<typeof stampSchema>;

export interface Installed {
  readonly folder: string;
  readonly stamp: Stamp;
}

export interface InstallRequest {
  /** Names the folder in the cache. */
  readonly name: string;
  /** Everything that decides what gets installed; other versions go into another folder. */
  readonly versions: Readonly<Record<string, string>>;
  /** Fills an empty folder; the result is kept in the stamp. It never sees a half-filled folder. */
  readonly install: (folder: string) => Promise<Record<string, string>>;
}

const stampFile = 'stamp.json';
const abandonedAfterMs = 60 * 60 * 1000;

/** The folder for large fetched tools: `AGENT_HARBOR_CACHE`, or else `.cache` in the project. */
export function cacheFolder(): string {
  const override = process.env.AGENT_HARBOR_CACHE;
  return override ? path.resolve(override) : path.join(projectRoot, '.cache');
}

/**
 * Installs something into the cache unless it is there already.
 *
 * The installation happens in a temporary folder that is renamed when it is complete, so readers never see an
 * incomplete one. If several processes want it at once, one installs it and the others wait.
 *
 * @throws what `install` throws; the temporary folder is gone then.
 */
export async function installOnce(
  { name, versions, install }: InstallRequest,
  root = cacheFolder(),
): Promise<Installed> {
  const key = JSON.stringify([versions, process.platform, process.arch]);
  const folder = path.join(root, `${name}-${createHash('sha256').update(key).digest('hex').slice(0, 10)}`);
  const present = await readStamp(folder);
  if (present) return { folder, stamp: present };

  await mkdir(root, { recursive: true });
  return withLock(path.join(root, `.lock-${path.basename(folder)}`), async () => {
    const made = await readStamp(folder);
    if (made) return { folder, stamp: made };
    await removeAbandoned(root);
    const temporary = path.join(root, `.installing-${name}-${randomUUID()}`);
    await mkdir(temporary);
    try {
      const stamp: Stamp = { name, versions: { ...versions }, notes: await install(temporary) };
      await writeFile(path.join(temporary, stampFile), `${JSON.stringify(stamp, null, 2)}\n`);
      return { folder, stamp: await publish(temporary, folder, stamp) };
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}

/** Moves a finished installation into place, or uses what a process that had lost its lock has put there since. */
async function publish(temporary: string, folder: string, stamp: Stamp): Promise<Stamp> {
  try {
    await rename(temporary, folder);
    return stamp;
  } catch {
    const winner = await readStamp(folder);
    if (winner) return winner;
    // A folder without a stamp was damaged by hand, so it cannot be in use.
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
    return stamp;
  }
}

async function readStamp(folder: string): Promise<Stamp | undefined> {
  try {
    return stampSchema.parse(JSON.parse(await readFile(path.join(folder, stampFile), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Removes the leftovers of killed installations. */
async function removeAbandoned(root: string): Promise<void> {
  for (const entry of await readdir(root)) {
    if (!entry.startsWith('.installing-')) continue;
    const folder = path.join(root, entry);
    const age =
      Date.now() -
      (await stat(folder)
        .then((s) => s.mtimeMs)
        .catch(() => Date.now()));
    if (age > abandonedAfterMs) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Installs packages of the npm registry, by name and exact version, into the cache. No install script runs.
 *
 * @param more options of `npm install`
 * @returns the folder that holds `node_modules`
 */
export function installPackages(
  name: string,
  versions: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<Installed> {
  return installOnce({
    name,
    versions,
    install: async (folder) => {
      await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
      const packages = Object.entries(versions).map(([pkg, version]) => `${pkg}@${version}`);
      const options = ['--ignore-scripts', '--no-save', '--no-package-lock', ...more];
      await npm(['install', ...options, ...packages], folder);
      return {};
    },
  });
}

/**
 * Runs npm in a folder, quietly.
 *
 * @throws an Error with the end of npm's output when npm fails or takes longer than ten minutes
 */
export async function npm(args: readonly string[], cwd: string): Promise<void> {
  // Under `npm run`, npm passes its own path. Otherwise, Windows needs a shell to find `npm.cmd`.
  const self = process.env.npm_execpath;
  const [command, prefix] = self?.endsWith('.js') ? [process.execPath, [self]] : ['npm', []];
  const child = spawn(command, [...prefix, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
    timeout: 10 * 60 * 1000 * patience,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    throw new Error(`npm ${args.join(' ')} in ${cwd} failed (${code ?? 'killed'}):\n${output.slice(-4000)}`);
  }
}
