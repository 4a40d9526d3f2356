import { execFile } from 'node:child_process';
import { access, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { cacheFolder, installOnce } from './cache.ts';
import { skip } from './skip.ts';
import { patience } from './wait.ts';

const run = promisify(execFile);

/** An interpreter. */
export interface Python {
  readonly file: string;
  readonly version: string;
}

/** Python, or a Python package, is not installed and cannot be fetched. */
export class PythonMissingError extends Error {
  override readonly name = 'PythonMissingError';
}

/** Runs an action that needs Python. If there is none, it skips the test and says why. */
export async function withPython<Result>(test: Context, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PythonMissingError)) throw error;
    return skip(test, error.message);
  }
}

/**
 * A folder in the cache with a virtual environment of exactly these packages, made when it is first needed. @param
 * place of the environment in the folder; by default the folder itself.
 * @param base the interpreter it is made with; by default the first of the PATH.
 * @throws PythonMissingError when there is no Python 3.11 or later, or the packages cannot be fetched.
 */
export async function makeEnvironment(
  name: string,
  requirements: string,
  place = '',
  base?: Python,
): Promise<string> {
  const { file, version } = base ?? (await findPython());
  const { folder } = await installOnce({
    name,
    versions: { requirements, python: version, uv: UV },
    install: async (target) => {
      const list = path.join(target, 'requirements.txt');
      await writeFile(list, requirements);
      const environment = path.join(target, place);
      try {
        // This takes longer on machines whose settings for pip, such as in a file, do not reach uv.
        await fillByUv(file, environment, list).catch(() => fillByPip(file, environment, list));
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        throw new PythonMissingError(
          `the Python packages of ${name} could not be installed: ${text.slice(-600)}`,
        );
      }
      return {};
    },
  });
  return folder;
}

async function fillByUv(python: string, environment: string, requirements: string): Promise<void> {
  const uv = await installUv(python);
  await uv(['venv', '--quiet', '--seed', '--allow-existing', '--python', python, environment]);
  await uv([
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--python',
    environment,
    '--requirement',
    requirements,
  ]);
}

async function fillByPip(python: string, environment: string, requirements: string): Promise<void> {
  await run(python, ['-m', 'venv', environment], { timeout: 120_000 * patience });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r'];
  await run(interpreterIn(environment), [...pip, requirements], { timeout: 480_000 * patience });
}

/** The version is fixed, because tests run with what it makes. */
const UV = '0.13.9';

/**
 * Installs uv, which makes an environment in seconds where `venv` and pip take half a minute.
 * @returns a function that runs it, with this machine's settings for pip.
 */
async function installUv(python: string): Promise<(args: readonly string[]) => Promise<unknown>> {
  const { folder } = await installOnce({
    name: 'uv',
    versions: { uv: UV },
    install: async (target) => {
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--target'];
      await run(python, [...pip, target, `uv==${UV}`], { timeout: 480_000 * patience });
      return {};
    },
  });
  const { PIP_INDEX_URL, PIP_FIND_LINKS, PIP_CERT, ...inherited } = process.env;
  const env = {
    ...(PIP_INDEX_URL === undefined ? {} : { UV_DEFAULT_INDEX: PIP_INDEX_URL }),
    ...(PIP_FIND_LINKS === undefined ? {} : { UV_FIND_LINKS: PIP_FIND_LINKS }),
    ...(PIP_CERT === undefined ? {} : { SSL_CERT_FILE: PIP_CERT }),
    ...inherited,
    UV_CACHE_DIR: path.join(cacheFolder(), 'uv-files'),
    UV_PYTHON_DOWNLOADS: 'never',
    // A test's changes in one environment must not change the others.
    UV_LINK_MODE: 'copy',
  };
  const program = path.join(folder, 'bin', process.platform === 'win32' ? 'uv.exe' : 'uv');
  return (args) => run(program, args, { env, timeout: 480_000 * patience });
}

/** The interpreter of a virtual environment. */
export function interpreterIn(environment: string): string {
  return process.platform === 'win32'
    ? path.join(environment, 'Scripts', 'python.exe')
    : path.join(environment, 'bin', 'python');
}

/** The first Python of the PATH, 3.11 or later. */
export async function findPython(): Promise<Python> {
  const names = process.platform === 'win32' ? ['python.exe'] : ['python3', 'python'];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of names) {
      const file = path.join(folder, name);
      const version = await versionOf(file);
      const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
      if (version !== undefined && (major > 3 || (major === 3 && minor >= 11))) return { file, version };
    }
  }
  throw new PythonMissingError('there is no Python 3.11 or later on the PATH.');
}

/** A Python of a version such as 3.13, on the PATH or among those of pyenv. @throws PythonMissingError */
export async function findPythonVersion(wanted: string): Promise<Python> {
  const pyenv = path.join(process.env.PYENV_ROOT ?? path.join(homedir(), '.pyenv'), 'versions');
  const installed = await readdir(pyenv).catch(() => []);
  const candidates = [
    ...(process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, `python${wanted}`)),
    ...installed
      .filter((version) => version.startsWith(`${wanted}.`))
      .map((version) => path.join(pyenv, version, 'bin', 'python3')),
  ];
  for (const file of candidates) {
    const version = await versionOf(file);
    if (version?.startsWith(`${wanted}.`)) return { file, version };
  }
  throw new PythonMissingError(`there is no Python ${wanted} on the PATH or in pyenv.`);
}

async function versionOf(file: string): Promise<string | undefined> {
  try {
    await access(file);
    const print = 'import sys; print(".".join(map(str, sys.version_info[:3])))';
    const { stdout } = await run(file, ['-c', print], { timeout: 10_000 * patience });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
