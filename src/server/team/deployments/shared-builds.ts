import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { create, extract } from 'tar';
import { exists } from '../../../process/exists.ts';
import { replace } from '../../../process/replace.ts';
import type { BuildName, BuildStore } from '../../control-plane/builds/build-store.ts';
import { DeploymentFolder } from '../../control-plane/builds/deployment-folder.ts';
import { rewritePaths } from '../../control-plane/builds/install/cloned-environment.ts';
import { isForHere, machineKindOf, runsHere } from '../../control-plane/builds/machine-kind.ts';
import type { Objects } from '../objects/objects.ts';

/** The files of builds in a team's object store. */
export class SharedBuilds implements BuildStore {
  readonly #objects: Objects;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Stores a tarball that was uploaded to this server. */
  putUpload(folder: DeploymentFolder, deploymentId: string, id: string): Promise<void> {
    return this.#objects.put(uploadName(deploymentId, id), folder.upload(id));
  }

  /** Fetches a tarball that was uploaded to any server, unless it is on disk, or is not stored. */
  async getUpload(
    folder: DeploymentFolder,
    deploymentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (!(await exists(folder.upload(id))))
      await this.#objects.get(uploadName(deploymentId, id), folder.upload(id), signal);
  }

  async removeUpload(deploymentId: string, id: string): Promise<void> {
    await this.#objects.remove(uploadName(deploymentId, id));
  }

  /** Stores the source of a build, if it was packed here. */
  async putSource(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<void> {
    const packed = folder.archive(name.key);
    if (await exists(packed)) await this.#objects.put(sourceName(name), packed, signal);
  }

  /**
   * Stores a finished build and its source, unless they are already stored.
   * @param staging the folder in which the build is packed. It is removed afterwards.
   */
  async put(
    folder: DeploymentFolder,
    { deploymentId, key }: BuildName,
    signal: AbortSignal,
    staging = folder.staging(randomUUID()),
  ): Promise<void> {
    const manifest = await folder.find(key);
    if (manifest === undefined) throw new Error(`Build ${key} is not finished.`);
    const build = buildName({ deploymentId, key }, await machineKindOf(folder, manifest));
    const stored = new Set(await this.#objects.list(`builds/${deploymentId}/${key}/`));
    if (stored.has(build)) return;
    await this.putSource(folder, { deploymentId, key }, signal);
    const packed = path.join(staging, 'build.tar.gz');
    try {
      await mkdir(path.dirname(packed), { recursive: true });
      // Times are preserved, because Python compares them with those of its compiled files.
      await create({ file: packed, cwd: folder.builds, gzip: { level: 1 } }, [key, `${key}.json`]);
      await this.#objects.put(build, packed, signal);
    } finally {
      await rm(path.dirname(packed), { recursive: true, force: true });
    }
  }

  /**
   * Fetches a build that was made on a machine of this kind.
   * @returns false when there is none.
   */
  async get(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<boolean> {
    for (const build of await this.#objects.list(`builds/${name.deploymentId}/${name.key}/`)) {
      if (!isForHere(folder, path.basename(build, '.tar.gz'))) continue;
      const staging = folder.staging(randomUUID());
      const packed = path.join(staging, 'build.tar.gz');
      try {
        if (!(await this.#objects.get(build, packed, signal))) continue;
        // The archive comes from a server of the team, and may contain links from Python environments to interpreters.
        await extract({ file: packed, cwd: staging, preservePaths: true });
        if (await place(folder, staging, name.key)) return true;
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    }
    return false;
  }

  /** Fetches the source of a build. @returns false when it was not stored. */
  async getSource(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<boolean> {
    return (
      (await exists(folder.archive(name.key))) ||
      (await this.#objects.get(sourceName(name), folder.archive(name.key), signal))
    );
  }

  /** Removes all builds and sources of a deployment except these. */
  async prune(
    deploymentId: string,
    kept: { readonly builds: ReadonlySet<string>; readonly sources: ReadonlySet<string> },
  ): Promise<void> {
    for (const name of await this.#objects.list(`builds/${deploymentId}/`)) {
      const [, , key = ''] = name.split('/');
      if (!kept.builds.has(key)) await this.#objects.remove(name);
    }
    for (const name of await this.#objects.list(`sources/${deploymentId}/`)) {
      if (!kept.sources.has(path.basename(name, '.tar.gz'))) await this.#objects.remove(name);
    }
  }

  /** Removes everything that belongs to a deployment. */
  async removeAll(deploymentId: string): Promise<void> {
    for (const folder of ['builds', 'sources', 'uploads'])
      for (const name of await this.#objects.list(`${folder}/${deploymentId}/`))
        await this.#objects.remove(name);
  }
}

/**
 * Moves an unpacked build to the folder from which it is served.
 * @returns false when it does not run on this machine.
 */
async function place(folder: DeploymentFolder, staging: string, key: string): Promise<boolean> {
  const unpacked = path.join(await realpath(staging), key);
  const manifest = await DeploymentFolder.read(`${unpacked}.json`);
  if (manifest === undefined || !(await runsHere(unpacked, manifest))) return false;
  const { made_in: madeIn, python } = manifest;
  const top = path.join(await realpath(folder.builds), key);
  if (madeIn !== null && madeIn !== top) {
    try {
      if (python !== null) await rewritePaths(path.resolve(unpacked, python), madeIn, top);
    } catch {
      // The build is then made again on this machine.
      return false;
    }
  }
  await folder.remove(key);
  await replace(unpacked, folder.build(key));
  // The manifest comes last, because it marks the rest as complete.
  await folder.finish({ ...manifest, made_in: madeIn === null ? null : top });
  return true;
}

function uploadName(deploymentId: string, id: string): string {
  return `uploads/${deploymentId}/${id}.tar.gz`;
}

function sourceName({ deploymentId, key }: BuildName): string {
  return `sources/${deploymentId}/${key}.tar.gz`;
}

function buildName({ deploymentId, key }: BuildName, kind: string): string {
  return `builds/${deploymentId}/${key}/${kind}.tar.gz`;
}
