import path from 'node:path';
import { exists } from '../process/exists.ts';
import { ifPresent } from '../process/if-present.ts';
import { BuildError } from '../project/build-error.ts';
import { projectDependencies } from '../project/checks/python-requirements.ts';
import { fileAsDependency } from '../project/file-as-dependency.ts';
import { upwards } from '../project/install/node-manager.ts';
import { findPythonLock, readPythonSources } from '../project/install/python-sources.ts';
import { isInside } from '../project/paths.ts';
import { filesOnDisk } from '../project/project-files.ts';
import { readText } from '../project/read-text.ts';
import type { ImageConfig } from './image-config.ts';
import { type ProjectPlace, prefixOf, relativeTo } from './project-place.ts';

/** The source of a project's Python packages. Paths are relative to the context. */
export type PythonPart = LockedPython | ListedPython;

/** Packages from a lockfile, installed by the tool that wrote it. */
export interface LockedPython {
  readonly kind: 'uv' | 'poetry';
  /** The folder in which the tool runs. */
  readonly dir: string;
  /** The lockfile, its manifests, and settings. */
  readonly files: readonly string[];
  /** Files with credentials, which exist only while packages are installed. */
  readonly secretFiles: readonly string[];
  /** The package in the workspace that `source.package` names. */
  readonly package: string | undefined;
}

/** Packages from the entries of `dependencies`. */
export interface ListedPython {
  readonly kind: 'listed';
  readonly installer: 'uv' | 'pip';
  /** The requirements.txt of the folders in `dependencies`, the files that they name, and settings. */
  readonly files: readonly string[];
  /** Files with credentials, which exist only while packages are installed. */
  readonly secretFiles: readonly string[];
  readonly requirements: readonly string[];
  /** Packages by name and version, from `dependencies` and from the pyproject.toml of the folders in it. */
  readonly packages: readonly string[];
  /** Folders that are installed as packages. */
  readonly installed: readonly string[];
}

/** The source of Python packages before the context is known. */
export interface FoundPythonPart {
  /** Absolute paths that the context must contain. */
  readonly folders: readonly string[];
  /**
   * @param deciding every file in the context that decides what is installed.
   * @param credentials the files in `deciding` that contain credentials.
   */
  inContext(
    context: string,
    deciding: readonly string[],
    credentials: ReadonlySet<string>,
  ): Promise<PythonPart>;
}

const LOCKED_FILES = {
  uv: /(?:^|\/)(?:uv\.lock|pyproject\.toml|uv\.toml|\.python-version)$/,
  poetry: /(?:^|\/)(?:poetry\.lock|pyproject\.toml|poetry\.toml)$/,
} as const;
const REQUIREMENTS =
  /(?:^|\/)(?:(?:requirements|constraints)[^/]*\.txt|requirements\/[^/]+\.(?:txt|in)|[^/]*\.whl)$/;
const UV_SETTINGS = /(?:^|\/)uv\.toml$/;

/**
 * Finds the lockfile of a project, or else the folders and packages in `dependencies`.
 * @throws BuildError for a folder of `dependencies`, or a `source`, that does not exist.
 */
export async function readPythonPart(place: ProjectPlace, config: ImageConfig): Promise<FoundPythonPart> {
  const locked = await findLock(place, config);
  return locked ?? readListed(place, config);
}

/** The nearest lockfile, unless pip is the installer, which reads none. */
async function findLock(
  { dir, top }: ProjectPlace,
  { source, pip_installer: installer, pip_config_file: pipConfig }: ImageConfig,
): Promise<FoundPythonPart | undefined> {
  if (source !== undefined) {
    const root = path.resolve(dir, source.root);
    if (!(await exists(path.join(root, 'uv.lock'))))
      throw new BuildError(`source.root of langgraph.json names ${source.root}, where there is no uv.lock.`);
    return lockedIn('uv', { root, runsIn: root, package: source.package });
  }
  if (installer === 'pip' || (installer === 'auto' && pipConfig !== undefined)) return undefined;
  const lock = await findPythonLock(filesOnDisk, upwards(dir, top));
  if (lock === undefined) return undefined;
  // A member of a workspace has its own manifest, but the lockfile belongs to the workspace.
  const isMember = lock.tool === 'uv' && (await exists(path.join(dir, 'pyproject.toml')));
  return lockedIn(lock.tool, { root: lock.dir, runsIn: isMember ? dir : lock.dir, package: undefined });
}

function lockedIn(
  kind: 'uv' | 'poetry',
  { root, runsIn, package: name }: { root: string; runsIn: string; package: string | undefined },
): FoundPythonPart {
  return {
    folders: [root],
    inContext: async (context, deciding, credentials) => {
      const prefix = prefixOf(relativeTo(context, root));
      const files = deciding.filter((file) => file.startsWith(prefix) && LOCKED_FILES[kind].test(file));
      return {
        kind,
        dir: relativeTo(context, runsIn),
        ...separateSecrets(files, credentials),
        package: name,
      };
    },
  };
}

async function readListed({ dir, top }: ProjectPlace, config: ImageConfig): Promise<FoundPythonPart> {
  const { dependencies = ['.'], pip_installer: wanted, pip_config_file: pipConfig } = config;
  // uv does not read pip's configuration.
  const installer = wanted === 'auto' ? (pipConfig === undefined ? 'uv' : 'pip') : wanted;
  const folders: string[] = [];
  const packages: string[] = [];
  for (const dependency of dependencies) {
    if (dependency.startsWith('.')) folders.push(await folderOf(dependency, dir, top));
    else if (dependency.startsWith('-'))
      throw new BuildError(`'${dependency}' in dependencies is not a package.`);
    else packages.push(dependency);
  }
  const requirements: string[] = [];
  const installed: string[] = [];
  for (const folder of folders) {
    const { hasRequirements, isPackage } = await readPythonSources(filesOnDisk, folder);
    if (hasRequirements) requirements.push(path.join(folder, 'requirements.txt'));
    if (!isPackage) continue;
    installed.push(folder);
    packages.push(...(await knownDependencies(folder)));
  }
  return {
    folders,
    inContext: async (context, deciding, credentials) => {
      const isRead = (file: string) =>
        (requirements.length > 0 && REQUIREMENTS.test(file)) ||
        (installer === 'uv' && UV_SETTINGS.test(file));
      const relative = (file: string) => relativeTo(context, file);
      return {
        kind: 'listed',
        installer,
        ...separateSecrets(deciding.filter(isRead), credentials),
        requirements: requirements.map(relative),
        packages,
        installed: installed.map(relative),
      };
    },
  };
}

function separateSecrets(
  files: readonly string[],
  credentials: ReadonlySet<string>,
): { files: string[]; secretFiles: string[] } {
  const { open = [], secret = [] } = Object.groupBy(files, (file) =>
    credentials.has(file) ? 'secret' : 'open',
  );
  return { files: open, secretFiles: secret };
}

async function folderOf(dependency: string, dir: string, top: string): Promise<string> {
  const folder = path.resolve(dir, dependency);
  const kind = folder === top || isInside(top, folder) ? await filesOnDisk.kind(folder) : undefined;
  if (kind === 'folder') return folder;
  if (kind === 'file')
    throw new BuildError(`In dependencies of langgraph.json, ${fileAsDependency(dependency)}`);
  throw new BuildError(`'${dependency}' in dependencies is not a folder of this project.`);
}

/**
 * The dependencies in a package's pyproject.toml, which are installed before its sources are copied. Empty if only its
 * build determines them, or if uv has other sources for them.
 */
async function knownDependencies(folder: string): Promise<readonly string[]> {
  const text = (await ifPresent(readText(path.join(folder, 'pyproject.toml')))) ?? '';
  return /^\[tool\.uv\.sources/m.test(text) ? [] : (projectDependencies(text) ?? []);
}
