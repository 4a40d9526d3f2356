import { execFile } from 'node:child_process';
import { access, constants, realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { commandAsGraphUser } from '../process/graph-user.ts';

const run = promisify(execFile);
/** The oldest major version of Node that runs graphs. */
const OLDEST_NODE = 20;

export interface NodeExecutable {
  readonly file: string;
  readonly version: string;
  /** Where the executable was found, in words. */
  readonly origin: string;
  /** Variables that make an editor's executable behave as Node, if the file is one. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds the Node that a user's graphs run on: the first one on the PATH that is not too old, otherwise the server's own.
 * @param searchPath the user's PATH.
 */
export async function findNode(searchPath: string | undefined): Promise<NodeExecutable> {
  for (const folder of (searchPath ?? '').split(path.delimiter).filter((entry) => entry !== '')) {
    const file = path.join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
    const version = await readVersion(file);
    if (version !== undefined && Number(version.split('.')[0]) >= OLDEST_NODE) {
      return { file, version, origin: 'the PATH', env: {} };
    }
  }
  return {
    file: process.execPath,
    version: process.versions.node,
    origin: "the server's own",
    env: process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
  };
}

/** The version of a Node executable; undefined if it does not run. */
async function readVersion(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    // The server's own version is known without starting a process.
    if ((await realpath(file)) === process.execPath && process.versions.electron === undefined) {
      return process.versions.node;
    }
    const { stdout } = await run(...commandAsGraphUser(file, ['--version']), {
      timeout: 5_000,
      windowsHide: true,
    });
    return stdout.trim().replace(/^v/, '');
  } catch {
    return undefined;
  }
}
