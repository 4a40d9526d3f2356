import { execFile } from 'node:child_process';
import { access, constants, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../../../process/exists.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { isObject } from '../../../process/objects.ts';
import { commandAsGraphUser } from '../process/graph-user.ts';
import { inUtf8 } from './python-encoding.ts';

const run = promisify(execFile);
/** The options with which interpreters are run. */
const RUN_OPTIONS = { timeout: 10_000, windowsHide: true } as const;

/** The oldest Python that the runtime supports. */
export const OLDEST_PYTHON = '3.11';

export interface PythonExecutable {
  readonly file: string;
  readonly version: string;
}

/**
 * Finds the interpreter in a virtual environment. It is only run if `pyvenv.cfg` does not name its version.
 * @returns undefined if the folder is not an environment, or its interpreter is missing or does not run.
 */
export async function findInterpreter(environment: string): Promise<PythonExecutable | undefined> {
  const windows = process.platform === 'win32';
  const isConda = await exists(path.join(environment, 'conda-meta'));
  const places = windows
    ? [isConda ? 'python.exe' : path.join('Scripts', 'python.exe')]
    : [path.join('bin', 'python'), path.join('bin', 'python3')];
  for (const place of places) {
    const file = path.join(environment, place);
    const version = (await readVersionOfEnvironment(environment, file)) ?? (await readVersion(file));
    if (version !== undefined) return { file, version };
  }
  return undefined;
}

/** The version that an interpreter reports; undefined when it does not run. */
export async function readVersion(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    return await askVersion(file);
  } catch {
    return undefined;
  }
}

/** Why an interpreter does not run, as a clause: its error output if it printed any. */
export async function explainWhyNot(file: string): Promise<string> {
  try {
    await access(file);
    await askVersion(file);
    return 'it runs now';
  } catch (error) {
    const { code, stderr } = isObject(error) ? error : {};
    if (code === 'ENOENT') return 'there is no such file';
    if (code === 'EACCES') return 'it is not a program';
    const said = typeof stderr === 'string' ? stderr.trim().split('\n')[0] : undefined;
    return said || (error instanceof Error ? error.message.split('\n')[0] : undefined) || String(error);
  }
}

async function askVersion(file: string): Promise<string> {
  const print = 'import sys; print(".".join(map(str, sys.version_info[:3])))';
  const { stdout } = await run(...commandAsGraphUser(file, ['-c', print]), RUN_OPTIONS);
  return stdout.trim();
}

export function isSupported(version: string): boolean {
  return compareVersions(version, OLDEST_PYTHON) >= 0;
}

/** Whether a version is the wanted one, or belongs to it: 3.12.1 belongs to 3.12. */
export function matchesVersion(version: string, wanted: string): boolean {
  return version === wanted || version.startsWith(`${wanted}.`);
}

/**
 * Finds an interpreter outside of any project: one of the wanted version, otherwise the first supported one. Looks on the
 * PATH, then where pyenv, uv and the installers for Windows put Python.
 * @param searchPath the PATH to look in.
 * @param wanted a version such as 3.12.
 */
export async function findSystemPython(
  searchPath: string | undefined,
  wanted: string | undefined,
): Promise<PythonExecutable | undefined> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const names = [...(wanted === undefined ? [] : [`python${wanted}`]), 'python3', 'python'];
  const onPath = (searchPath ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => path.join(folder, name + suffix)));
  let fallback: PythonExecutable | undefined;
  for await (const found of findRunnable([...onPath, ...(await listToolPythons())])) {
    if (wanted === undefined || matchesVersion(found.version, wanted)) return found;
    fallback ??= found;
  }
  return fallback;
}

/** Yields the interpreters of supported versions among the files, with shims resolved. */
async function* findRunnable(files: string[]): AsyncGenerator<PythonExecutable> {
  for (const file of new Set(files)) {
    const version = await readVersion(file);
    if (version === undefined || !isSupported(version)) continue;
    const resolved = await resolveShim(file);
    if (resolved !== undefined) yield { file: resolved, version };
  }
}

/**
 * Finds the interpreter behind a shim of pyenv or asdf. A shim chooses an interpreter by the current folder, so in the
 * project's folder it could choose another one.
 * @returns the same file if it is no shim; undefined when the shim does not report its interpreter.
 */
async function resolveShim(file: string): Promise<string | undefined> {
  if (path.basename(path.dirname(file)) !== 'shims') return file;
  try {
    const { stdout } = await run(...commandAsGraphUser(file, ['-c', 'import sys; print(sys.executable)']), {
      ...RUN_OPTIONS,
      env: inUtf8(process.env),
    });
    return stdout.trim();
  } catch {
    // A shim runs several programs, and may exceed the time limit on a busy machine.
    return undefined;
  }
}

/** A folder that contains Python installations, each in a subfolder. */
interface PythonsFolder {
  readonly root: string;
  /** The names of subfolders that are Python installations; all, by default. */
  readonly names?: RegExp;
}

/**
 * Finds the interpreters of pyenv and uv, and, on Windows, those that Python's installers leave off the PATH;
 * newest first.
 */
export async function listToolPythons(): Promise<string[]> {
  const places = foldersOfPythons(process.platform, process.env, homedir());
  const found = await Promise.all(
    places.map(async ({ root, names = /./ }) => {
      const folders = ((await ifReadable(readdir(root))) ?? []).filter((name) => names.test(name));
      return folders
        .toSorted((a, b) => compareVersions(b, a))
        .map((folder) =>
          process.platform === 'win32'
            ? path.join(root, folder, 'python.exe')
            : path.join(root, folder, 'bin', 'python3'),
        );
    }),
  );
  return found.flat();
}

/** The folders in which pyenv, uv and the installers from python.org put their Python installations. */
export function foldersOfPythons(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): PythonsFolder[] {
  const uv = env.UV_PYTHON_INSTALL_DIR;
  if (platform !== 'win32') {
    const { join } = path.posix;
    return [
      { root: join(env.PYENV_ROOT ?? join(home, '.pyenv'), 'versions') },
      { root: uv ?? join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'uv', 'python') },
    ];
  }
  const { join } = path.win32;
  const local = env.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  const roaming = env.APPDATA ?? join(home, 'AppData', 'Roaming');
  return [
    { root: join(env.PYENV_ROOT ?? env.PYENV ?? join(home, '.pyenv', 'pyenv-win'), 'versions') },
    { root: uv ?? join(roaming, 'uv', 'python') },
    // The installer for one user, the one for all, and the install manager behind `py install`.
    { root: join(local, 'Programs', 'Python'), names: /^Python3\d+$/ },
    { root: env.ProgramFiles ?? 'C:\\Program Files', names: /^Python3\d+$/ },
    { root: join(local, 'Python'), names: /^pythoncore-3\.\d+/ },
  ];
}

/**
 * Reads the Python version of a virtual environment from its `pyvenv.cfg`, which `python -m venv`, virtualenv
 * and uv write, without starting the interpreter.
 * @param file the environment's interpreter.
 * @returns undefined if the interpreter does not exist, or the file does not name a version.
 */
export async function readVersionOfEnvironment(
  environment: string,
  file: string,
): Promise<string | undefined> {
  if (!(await exists(file))) return undefined;
  const text = (await ifReadable(readFile(path.join(environment, 'pyvenv.cfg'), 'utf8'))) ?? '';
  return /^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1];
}

/** Compares versions number by number, up to the end of the shorter one. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  for (let at = 0; at < Math.min(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
