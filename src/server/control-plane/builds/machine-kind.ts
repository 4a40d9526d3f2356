import { createHash } from 'node:crypto';
import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { exists } from '../../../process/exists.ts';
import { ifReadable } from '../../../process/if-present.ts';
import type { DeploymentFolder, Manifest } from './deployment-folder.ts';

/** The part of Node's report about the C library; only glibc has a version there. */
const Report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

/**
 * The beginning of the kind of this machine: system, processor, C library, and the ABI version of Node's
 * native packages.
 */
export function systemName(): string {
  return [process.platform, process.arch, libc(), `node${process.versions.modules}`]
    .filter(Boolean)
    .join('-');
}

function libc(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const report = Report.safeParse(process.report?.getReport());
  // A program that is linked against one minor version does not run with older ones.
  const glibc = report.data?.header.glibcVersionRuntime;
  return glibc === undefined ? 'musl' : `glibc${glibc}`;
}

/**
 * The kind of machine that a build is for: the system, the Python version, and, for a build that cannot be
 * moved, the folder of builds. It is part of the build's name in the object store.
 */
export async function machineKindOf(folder: DeploymentFolder, manifest: Manifest): Promise<string> {
  const { key, python, made_in: madeIn, is_movable: isMovable } = manifest;
  const version =
    python === null ? undefined : await pythonVersionOf(path.resolve(folder.build(key), python));
  const parts = [systemName(), ...(version === undefined ? [] : [`python${version}`])];
  const containsPath = python !== null || madeIn !== null;
  return [...parts, ...(containsPath && !isMovable ? [placeName(folder)] : [])].join('-');
}

/** Whether a build for a kind of machine may run here. Its Python is checked after the build has been fetched. */
export function isForHere(folder: DeploymentFolder, kind: string): boolean {
  if (kind !== systemName() && !kind.startsWith(`${systemName()}-`)) return false;
  const rest = kind.slice(systemName().length).replace(/^-python\d+\.\d+t?/, '');
  return rest === '' || rest === `-${placeName(folder)}`;
}

/** A name for the path of the builds folder, for builds that cannot be moved. */
function placeName(folder: DeploymentFolder): string {
  return createHash('sha256').update(folder.builds).digest('hex').slice(0, 12);
}

/**
 * Whether a build was made for this kind of machine, and its Python exists in the version that its packages are for.
 * Nothing in the build is run, because it may belong to another user.
 * @param build the folder of the build.
 */
export async function runsHere(build: string, manifest: Manifest): Promise<boolean> {
  const { python, machine, is_apart: isIsolated } = manifest;
  if (machine !== null && machine !== systemName()) return false;
  if (python === null || isIsolated) return true;
  const environment = path.resolve(build, python);
  const settings = (await ifReadable(readFile(path.join(environment, 'pyvenv.cfg'), 'utf8'))) ?? '';
  const home = /^home\s*=\s*(.+?)\s*$/m.exec(settings)?.[1];
  if (home === undefined) return false;
  if (process.platform === 'win32') return exists(path.join(home, 'python.exe'));
  const version = await pythonVersionOf(environment);
  if (version === undefined || !(await exists(path.join(home, `python${version}`)))) return false;
  // If `bin/python` leads to `python3` of the system, that may have become another version.
  const interpreter = (await ifReadable(realpath(path.join(environment, 'bin', 'python')))) ?? '';
  const linked = /^python(\d+\.\d+t?)$/.exec(path.basename(interpreter))?.[1];
  return interpreter !== '' && (linked ?? version) === version;
}

/** The Python version, such as 3.12, that the packages of an environment are for; 3.13t is free-threaded. */
async function pythonVersionOf(environment: string): Promise<string | undefined> {
  const names = (await ifReadable(readdir(path.join(environment, 'lib')))) ?? [];
  return names.map((name) => /^python(\d+\.\d+t?)$/.exec(name)?.[1]).find((version) => version !== undefined);
}
