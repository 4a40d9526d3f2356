import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../../process/exists.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { listFoldersAround } from '../../../project/folders-around.ts';

/**
 * The interval between checks. Environments are created, moved and deleted as a whole, so checking a few files costs
 * less than watching tens of thousands.
 */
const CHECK_MS = 1_000;
/** After this many checks without a change, an apparently unfinished installation counts as finished. */
const MAX_UNFINISHED_CHECKS = 30;
export const ENVIRONMENT_NAMES = ['.venv', 'venv', '.conda'];
/** Files that npm, pnpm, yarn and yarn 2 write into `node_modules` when they are done. */
const NODE_MARKERS = ['.package-lock.json', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'];
const BUN_LOCKFILES = ['bun.lock', 'bun.lockb'];

/** The packages in a place. */
interface Contents {
  /** A text that changes when packages change. */
  readonly fingerprint: string;
  /** Whether the files show that nothing is being installed. */
  readonly isComplete: boolean;
}

/** A place that packages are installed into. */
interface Place {
  readonly folder: string;
  /** A stamp that is cheap to read, and changes whenever something is installed. */
  stamp(): Promise<string>;
  read(): Promise<Contents>;
}

interface Watched {
  readonly place: Place;
  /** The stamp at the last check. */
  stamp: string;
  /** The fingerprint of the packages at the start, or when a change was last reported. */
  fingerprint: string;
  /** The number of checks since the last change; undefined if no change is waiting to be reported. */
  checks: number | undefined;
}

/** Calls back when packages of a project have been installed, updated or removed, once the installation is done. */
export class PackageWatcher {
  readonly #onChange: (folders: readonly string[]) => void;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(onChange: (folders: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** Starts watching. @param dir the folder of langgraph.json; packages in its ancestors are included. */
  static async open(dir: string, onChange: (folders: readonly string[]) => void): Promise<PackageWatcher> {
    const watcher = new PackageWatcher(onChange);
    for (const folder of await listFoldersAround(dir)) {
      for (const name of ENVIRONMENT_NAMES) await watcher.#add(pythonPlace(path.join(folder, name)));
      await watcher.#add(nodePlace(path.join(folder, 'node_modules')));
    }
    watcher.#checkLater();
    return watcher;
  }

  /** Watches a Python environment in another place as well. */
  async include(environment: string): Promise<void> {
    if (!this.#watched.has(environment)) await this.#add(pythonPlace(environment));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #add(place: Place): Promise<void> {
    const stamp = await place.stamp();
    const { fingerprint } = await place.read();
    this.#watched.set(place.folder, { place, stamp, fingerprint, checks: undefined });
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#check(), CHECK_MS).unref();
  }

  async #check(): Promise<void> {
    const changed: string[] = [];
    for (const watched of this.#watched.values()) {
      if (await hasChanged(watched)) changed.push(watched.place.folder);
    }
    if (changed.length > 0 && !this.#isClosed) this.#onChange(changed);
    this.#checkLater();
  }
}

/** Whether packages have changed since the last call, and the installation has finished. */
async function hasChanged(watched: Watched): Promise<boolean> {
  const stamp = await watched.place.stamp();
  if (stamp !== watched.stamp) {
    watched.stamp = stamp;
    watched.checks = 0;
    return false;
  }
  if (watched.checks === undefined) return false;
  watched.checks++;
  const { fingerprint, isComplete } = await watched.place.read();
  if (!isComplete && watched.checks < MAX_UNFINISHED_CHECKS) return false;
  watched.checks = undefined;
  if (fingerprint === watched.fingerprint) return false;
  watched.fingerprint = fingerprint;
  return true;
}

/** A virtual environment, or a conda environment. */
function pythonPlace(folder: string): Place {
  return { folder, stamp: () => readPythonStamp(folder), read: () => readPythonPlace(folder) };
}

async function readPythonStamp(folder: string): Promise<string> {
  if (!(await exists(folder))) return '';
  const places = ['pyvenv.cfg', 'conda-meta', activation(), ...(await findSitePackages(folder))];
  return (await Promise.all(places.map((place) => readChangeTime(path.join(folder, place))))).join(' ');
}

async function readPythonPlace(folder: string): Promise<Contents> {
  const isVirtual = await exists(path.join(folder, 'pyvenv.cfg'));
  if (!isVirtual && !(await exists(path.join(folder, 'conda-meta'))))
    return { fingerprint: '', isComplete: true };
  // `python -m venv`, virtualenv and uv write the script that activates it last.
  let isComplete = !isVirtual || (await exists(path.join(folder, activation())));
  const packages: string[] = [await readChangeTime(path.join(folder, 'pyvenv.cfg'))];
  for (const site of await findSitePackages(folder)) {
    for (const name of (await namesIn(path.join(folder, site))).toSorted()) {
      if (!/\.(?:dist-info|egg-info|egg-link|pth)$/.test(name)) continue;
      const entry = path.join(folder, site, name);
      packages.push(`${name} ${await readChangeTime(entry)}`);
      // Installers write the list of a package's files when all files are in place.
      if (name.endsWith('.dist-info') && !(await exists(path.join(entry, 'RECORD')))) isComplete = false;
    }
  }
  return { fingerprint: packages.join('\n'), isComplete };
}

async function findSitePackages(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return [path.join('Lib', 'site-packages')];
  const versions = (await namesIn(path.join(folder, 'lib'))).filter((name) => name.startsWith('python'));
  return versions.map((name) => path.join('lib', name, 'site-packages'));
}

function activation(): string {
  return process.platform === 'win32' ? path.join('Scripts', 'activate') : path.join('bin', 'activate');
}

function nodePlace(folder: string): Place {
  return {
    folder,
    stamp: () => readNodeStamp(folder),
    read: async () => {
      const fingerprint = await readNodeStamp(folder);
      const isComplete = fingerprint === '' || (await hasMarker(folder)) || (await usesBun(folder));
      return { fingerprint, isComplete };
    },
  };
}

/** Whether a package manager has written its marker, which it does last. Bun has none. */
async function hasMarker(folder: string): Promise<boolean> {
  const found = await Promise.all(NODE_MARKERS.map((marker) => exists(path.join(folder, marker))));
  return found.includes(true);
}

/** Whether the packages are installed with bun. */
async function usesBun(folder: string): Promise<boolean> {
  const around = path.dirname(folder);
  return (await Promise.all(BUN_LOCKFILES.map((name) => exists(path.join(around, name))))).includes(true);
}

async function readNodeStamp(folder: string): Promise<string> {
  if (!(await exists(folder))) return '';
  const markers = await Promise.all(NODE_MARKERS.map((marker) => readChangeTime(path.join(folder, marker))));
  // Without a marker, additions to the folder show that an installation is running.
  const isMarked = (await hasMarker(folder)) && !(await usesBun(folder));
  return [...markers, ...(isMarked ? [] : [await readChangeTime(folder)])].join(' ');
}

async function readChangeTime(file: string): Promise<string> {
  const stats = await ifReadable(stat(file));
  return stats === undefined ? '-' : `${stats.ino}:${stats.mtimeMs}`;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await ifReadable(readdir(folder))) ?? [];
}
