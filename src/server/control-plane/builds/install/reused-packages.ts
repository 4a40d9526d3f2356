import { readFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { findDecidingFiles } from '../../../../project/install/deciding-files.ts';
import type { Project } from '../../../runtimes/project/project.ts';
import type { DeploymentFolder, Manifest } from '../deployment-folder.ts';
import { runsHere } from '../machine-kind.ts';
import type { SourceContext } from '../sources/source.ts';
import { cloneEnvironment } from './cloned-environment.ts';
import { clonePackages } from './installed-packages.ts';
import type { Installed } from './installer.ts';

interface Reuse {
  readonly folder: DeploymentFolder;
  /** The top of the new build's source, without links. */
  readonly top: string;
  readonly project: Project;
  readonly installationKey: string;
}

/**
 * Copies the packages of an earlier build with the same manifests and lockfiles.
 * @returns the result of the installation; undefined if the packages must be installed.
 * @throws the signal's reason when aborted.
 */
export async function reusePackages(
  { folder, top, project, installationKey }: Reuse,
  { signal, log }: SourceContext,
): Promise<Installed | undefined> {
  const earlier = await findEarlier(folder, installationKey);
  if (earlier === undefined || (earlier.packages.length === 0 && earlier.python === null)) return undefined;
  if (project.languages.has('python') && (earlier.python === null || (await buildsInPlace(top)))) {
    return undefined;
  }
  log('INFO', 'Dependencies have not changed. Reusing the packages of an earlier build.');
  const taken = [...earlier.packages, ...(earlier.python === null ? [] : [earlier.python])];
  try {
    const from = await realpath(folder.build(earlier.key));
    for (const packages of earlier.packages) {
      await clonePackages(path.join(from, packages), path.join(top, packages), signal);
    }
    if (earlier.python === null) return { python: undefined };
    await cloneEnvironment({ from, to: top, environment: earlier.python }, signal);
    return { python: path.join(top, earlier.python) };
  } catch (error) {
    signal.throwIfAborted();
    log('WARNING', `Could not copy them (${String(error)}). Installing again.`);
    for (const packages of taken) await rm(path.join(top, packages), { recursive: true, force: true });
    return undefined;
  }
}

/** The newest build with these packages whose Python has not been removed or updated since. */
async function findEarlier(folder: DeploymentFolder, installationKey: string): Promise<Manifest | undefined> {
  for (const manifest of await folder.listManifests())
    if (
      manifest.installation_key === installationKey &&
      (await runsHere(folder.build(manifest.key), manifest))
    )
      return manifest;
  return undefined;
}

/** Build backends that leave nothing in the source's folders when a package is installed from there. */
const LEAVES_NOTHING =
  /^(?:setuptools\.build_meta|hatchling\.build|poetry\.core\.masonry\.api|flit_core\.buildapi|pdm\.backend|uv_build)$/;

/** Whether installing a package compiles files into the source's folders, so that the installation cannot be reused. */
export async function buildsInPlace(top: string): Promise<boolean> {
  for (const file of await findDecidingFiles(top)) {
    const name = path.basename(file);
    if (name === 'setup.py') return true;
    if (name !== 'pyproject.toml') continue;
    const text = await readFile(file, 'utf8');
    const backend = /^\s*build-backend\s*=\s*["']([^"']+)["']/m.exec(text)?.[1];
    if (backend !== undefined && !LEAVES_NOTHING.test(backend)) return true;
    if (/ext-modules|cython/i.test(text)) return true;
  }
  return false;
}
