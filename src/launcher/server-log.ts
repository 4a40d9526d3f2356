import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { explainForeignFolder } from '../process/foreign-folder.ts';
import { makeFolder } from '../process/make-folder.ts';
import { messageOf } from '../process/message-of.ts';
import { LaunchError } from './launch-error.ts';

/** A longer log is renamed before the next server writes to it. */
const MAX_BYTES = 5 * 1024 * 1024;
/** How much of the end of the output `tail` returns. */
const TAIL_BYTES = 4_096;

/** The path of the file to which the server of a data folder writes its output. */
export function serverLogPath(dataDir: string): string {
  return join(dataDir, 'server.log');
}

/**
 * Opens the log for a server that is started, and creates its data folder if needed. A long log is renamed first.
 * @throws LaunchError when the folder cannot be created or written.
 */
export async function openServerLog(dataDir: string): Promise<ServerLog> {
  const path = serverLogPath(dataDir);
  try {
    await makeFolder(dataDir, 0o700);
    const foreign = await explainForeignFolder(dataDir);
    if (foreign !== undefined) throw new Error(foreign);
    let file = await open(path, 'a+', 0o600);
    const { size } = await file.stat();
    if (size > MAX_BYTES) {
      await file.close();
      // On Windows, the log cannot be renamed while another process writes to it. It then grows further.
      await rename(path, `${path}.1`).catch(() => {});
      file = await open(path, 'a+', 0o600);
    }
    return new ServerLog(file, (await file.stat()).size);
  } catch (error) {
    throw unusableFolderError(dataDir, error);
  }
}

/** The log file of a server, from the place at which its output begins. */
export class ServerLog {
  readonly #file: FileHandle;
  readonly #start: number;

  constructor(file: FileHandle, start: number) {
    this.#file = file;
    this.#start = start;
  }

  get descriptor(): number {
    return this.#file.fd;
  }

  /** The output since the log was opened; if it is long, only its end. */
  async tail(): Promise<string> {
    const { size } = await this.#file.stat();
    const from = Math.max(this.#start, size - TAIL_BYTES);
    const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.toString('utf8', 0, bytesRead).trim();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function unusableFolderError(dataDir: string, cause: unknown): LaunchError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return new LaunchError(
    'data-folder',
    `Agent Harbor cannot write to its data folder ${dataDir}: ${reason(code, cause)}. Choose another folder.`,
    { cause },
  );
}

function reason(code: unknown, cause: unknown): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EROFS':
      return 'the folder is read-only';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file with this name exists';
    default:
      return messageOf(cause);
  }
}
