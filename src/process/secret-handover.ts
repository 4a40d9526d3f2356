import { randomUUID } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The variable that announces secrets on standard input: `line` if they are the first line of a pipe, `file` if standard
 * input is a deleted file with nothing else.
 */
const HANDED_OVER = 'AGENT_HARBOR_SECRETS';
const STDIN = 0;
/** Folders for the file, by preference: the first is in memory, and writable even in read-only containers on Linux. */
const FOLDERS = ['/dev/shm', tmpdir()];

type Secrets = Readonly<Record<string, string>>;

/** The environment variable of a process that is given secrets as the first line of its standard input. */
export const HANDED_OVER_BY_LINE = { [HANDED_OVER]: 'line' } as const;

/** The first line of standard input for a process with `HANDED_OVER_BY_LINE`. */
export function secretsLine(secrets: Secrets): string {
  return `${JSON.stringify(secrets)}\n`;
}

/** Whether secrets were handed over to this process, and have not been taken yet. */
export function hasHandedOverSecrets(environment: NodeJS.ProcessEnv): boolean {
  return environment[HANDED_OVER] !== undefined;
}

/**
 * The secrets that were handed over to this process; undefined when none were. Removes the variable that announces
 * them.
 */
export function takeHandedOverSecrets(environment: NodeJS.ProcessEnv): Secrets | undefined {
  const how = environment[HANDED_OVER];
  delete environment[HANDED_OVER];
  if (how === 'line') return parse(readLine());
  if (how !== 'file') return undefined;
  const text = readFileSync(STDIN, 'utf8');
  // Other processes of this user could open the file as /proc/<pid>/fd/0.
  ftruncateSync(STDIN);
  return parse(text);
}

/**
 * Starts this program again in the same process, with an environment that contains no secrets: other programs
 * can read the environment with which a process was started, even after the process has deleted variables.
 * Standard input is replaced. If the process cannot be replaced, as on Windows, or the file for the secrets
 * cannot be made, this returns and the program continues.
 * @param args the program's arguments, without Node and the script.
 * @param before a command that starts the program with other permissions, such as `setpriv`; none by default.
 */
export function restartWithSecrets(
  secrets: Secrets,
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  before: readonly string[] = [],
): void {
  const [, script = ''] = process.argv;
  if (process.execve === undefined || !placeOnStdin(JSON.stringify(secrets))) return;
  const command = [...before, process.execPath, ...process.execArgv, script, ...args];
  process.execve(command[0] ?? process.execPath, command, {
    ...environment,
    [HANDED_OVER]: 'file',
  });
}

/**
 * Replaces standard input with a file that contains the text: the new program inherits only the standard
 * streams.
 * @returns false if no file could be made in any of `FOLDERS`, or it did not become standard input
 */
function placeOnStdin(text: string): boolean {
  const made = makeFile(text);
  if (made === undefined) return false;
  closeSync(STDIN);
  // The descriptor gets the lowest free number, which is now that of standard input.
  const opened = openSync(made.file, 'r+');
  unlinkSync(made.file);
  closeSync(made.descriptor);
  return opened === STDIN;
}

/** Makes a file with a text, in the first of `FOLDERS` where that works. @returns undefined if none does */
function makeFile(text: string): { file: string; descriptor: number } | undefined {
  for (const folder of FOLDERS) {
    const file = path.join(folder, `.agent-harbor-${randomUUID()}`);
    try {
      const descriptor = openSync(file, 'wx', 0o600);
      writeSync(descriptor, text);
      return { file, descriptor };
    } catch {
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

/** Reads a line of standard input byte by byte, because the program reads the rest of it later. */
function readLine(): string {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  while (readSync(STDIN, byte, 0, 1, null) === 1) {
    const [value = 0] = byte;
    if (value === 0x0a) break;
    bytes.push(value);
  }
  return Buffer.from(bytes).toString('utf8');
}

function parse(text: string): Secrets {
  const parsed: unknown = JSON.parse(text);
  return Object.fromEntries(Object.entries(parsed ?? {}).map(([name, value]) => [name, String(value)]));
}
