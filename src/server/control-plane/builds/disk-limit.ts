import { execFile } from 'node:child_process';
import { lstat, readdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ifReadable } from '../../../process/if-present.ts';
import { pause } from '../../../process/pause.ts';
import { BuildError } from '../../../project/build-error.ts';

const execute = promisify(execFile);
const VARIABLE = 'AGENT_HARBOR_BUILD_DISK_MB';
const DEFAULT_MB = 20_480;
const MB = 1_048_576;
/** The free space in MB that builds leave for the server and other programs. */
const RESERVE_MB = 256;
const FIRST_PAUSE_MS = 1_000;
/** The pause between measurements, as a multiple of the time that a measurement takes. */
const PAUSE_FACTOR = 10;

/**
 * The disk space in MB that the folders of one build may take, from the environment or by default.
 * @throws Error for a variable that is not a number of at least 1.
 */
export function readDiskLimitMb(environment: NodeJS.ProcessEnv): number {
  const given = environment[VARIABLE];
  if (given === undefined || given === '') return DEFAULT_MB;
  if (!/^[1-9]\d*$/.test(given))
    throw new Error(`${VARIABLE} must be a whole number of megabytes of at least 1, not '${given}'.`);
  return Number(given);
}

/** Ends the commands of a build when its folders become too large, or when their disk is almost full. */
export class DiskLimit {
  readonly #folders: readonly [string, ...string[]];
  readonly #limitMb: number;

  /** @param folders all folders that the build can write to, on the disk of the data folder. */
  constructor(folders: readonly [string, ...string[]], limitMb: number) {
    this.#folders = folders;
    this.#limitMb = limitMb;
  }

  /**
   * Runs work that writes to the folders, and measures them until it ends.
   * @param work must end when its signal is aborted.
   * @throws BuildError if a limit is exceeded; the errors of `work`.
   */
  async watch<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const over = new AbortController();
    const watching = this.#watchUntil(ended.signal).catch((error: unknown) => over.abort(error));
    try {
      return await work(AbortSignal.any([signal, over.signal]));
    } finally {
      ended.abort();
      await watching;
      signal.throwIfAborted();
      over.signal.throwIfAborted();
      await this.#check();
    }
  }

  async #watchUntil(ended: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !ended.aborted; ) {
      await pause(pauseMs, { signal: ended });
      if (ended.aborted) return;
      const began = performance.now();
      await this.#check();
      pauseMs = Math.max(FIRST_PAUSE_MS, (performance.now() - began) * PAUSE_FACTOR);
    }
  }

  /** @throws BuildError if a limit is exceeded. */
  async #check(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folders[0]);
    const leftMb = Math.floor((bavail * bsize) / MB);
    if (leftMb < RESERVE_MB)
      throw new BuildError(
        `The build was ended because the disk of the data folder has only ${leftMb} MB left. Free some space and deploy again.`,
      );
    const usedMb = Math.ceil(await measureMb(this.#folders));
    if (usedMb > this.#limitMb)
      throw new BuildError(
        `The build takes ${usedMb} MB of the disk, with what builds of this deployment keep, and may take ${this.#limitMb} MB. Set ${VARIABLE} of the server to allow more.`,
      );
  }
}

/** The size of folders in MB. @throws BuildError for a folder that cannot be read, which could have any size. */
async function measureMb(folders: readonly string[]): Promise<number> {
  const du = await runDu(folders);
  if (du === undefined) return (await measureFiles(folders)) / MB;
  const hidden = /^du: .*?'(.+?)': Permission denied$/m.exec(du.stderr)?.[1];
  if (hidden !== undefined)
    throw new BuildError(
      `The size of a folder of the build cannot be measured, because only the build can read it: ${hidden}.`,
    );
  return du.stdout
    .split('\n')
    .map((line) => Number.parseInt(line, 10))
    .reduce((sum, kilobytes) => sum + (Number.isNaN(kilobytes) ? 0 : kilobytes / 1_024), 0);
}

/** The output of `du` about folders, in kilobytes; undefined on Windows, which has no `du`. */
async function runDu(folders: readonly string[]): Promise<{ stdout: string; stderr: string } | undefined> {
  try {
    return await execute('du', ['-skx', '--', ...folders], {
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      maxBuffer: 16 * MB,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ('code' in error && error.code === 'ENOENT') return undefined;
    // `du` fails for files that disappear in the meantime, which is not the build's fault.
    if ('stdout' in error && 'stderr' in error)
      return { stdout: String(error.stdout), stderr: String(error.stderr) };
    throw error;
  }
}

/** The total size in bytes of all files in folders, ignoring those that disappear in the meantime. */
async function measureFiles(folders: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const folder of folders) {
    const entries = (await ifReadable(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
    for (const entry of entries)
      if (entry.isFile())
        bytes += await lstat(path.join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        );
  }
  return bytes;
}
