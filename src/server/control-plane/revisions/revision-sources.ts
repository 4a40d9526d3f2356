import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { RevisionFiles } from '../../../contract/control-plane/revision-files.ts';
import { ifPresent } from '../../../process/if-present.ts';
import { badRequest, HttpError } from '../../http/errors.ts';
import { buildBase } from '../builds/base-environment.ts';
import type { BuildStore } from '../builds/build-store.ts';
import type { Builder } from '../builds/builder.ts';
import type { CommandRunner } from '../builds/command-runner.ts';
import { failedSourceKey } from '../builds/deployment-folder.ts';
import { configPathOf, uploadIdOf } from '../builds/find-source.ts';
import { placeFetched } from '../builds/sources/git-source.ts';
import { readSourceFiles } from '../builds/sources/source-files.ts';
import { packFolder } from '../builds/sources/tarball-source.ts';
import { readRevisionConfig } from '../data/deployment-wire.ts';
import { type RevisionRow, UNFINISHED } from '../data/revision-store.ts';

export interface RevisionSourcesOptions {
  readonly builder: Builder;
  readonly runner: CommandRunner;
  readonly shared?: BuildStore | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** Reads the source files of revisions, as they were before the build. */
export class RevisionSources {
  readonly #options: RevisionSourcesOptions;

  constructor(options: RevisionSourcesOptions) {
    this.#options = options;
  }

  /**
   * Reads the source files of a revision.
   * @throws HttpError 400 for a revision of an image, or one that has not been built yet; 404 if the files are no longer
   * kept.
   */
  async read(revision: RevisionRow, signal: AbortSignal): Promise<RevisionFiles> {
    if (revision.source === 'external_docker')
      throw badRequest(`Revision ${revision.id} was deployed from an image, so it has no source files.`);
    const found = await this.#find(revision, signal);
    if (found !== undefined) return found;
    if (UNFINISHED.some((status) => status === revision.status))
      throw badRequest(
        `Revision ${revision.id} is ${revision.status}. Its files are known once it is built.`,
      );
    throw new HttpError(
      404,
      `The source of revision ${revision.id} has been deleted. Only recent sources are kept.`,
    );
  }

  /** Looks for the files in archives, uploads and the fetched commits. @returns undefined if there are none. */
  async #find(revision: RevisionRow, signal: AbortSignal): Promise<RevisionFiles | undefined> {
    const { deployment_id: deploymentId, build_key } = revision;
    const { builder, shared } = this.#options;
    const folder = builder.folder(deploymentId);
    const config = readRevisionConfig(revision.source_revision_config);
    const read = (tarball: string) => ifPresent(readSourceFiles(tarball, configPathOf(config), signal));
    for (const key of [build_key, failedSourceKey(revision.id)]) {
      if (key === null) continue;
      await shared?.getSource(folder, { deploymentId, key }, signal);
      const files = await read(folder.archive(key));
      if (files !== undefined) return files;
    }
    if (revision.source === 'internal_source' && config.source_tarball_path) {
      const id = uploadIdOf(config);
      await shared?.getUpload(folder, deploymentId, id, signal);
      return read(folder.upload(id));
    }
    const { repo_commit_sha: commit } = config;
    if (revision.source !== 'github' || !commit) return undefined;
    const staging = folder.staging(randomUUID());
    const packed = `${staging}.tar.gz`;
    try {
      if (!(await this.#placeFetched(folder.mirror, commit, staging, signal))) return undefined;
      await packFolder(staging, packed);
      return await read(packed);
    } finally {
      for (const made of [staging, packed]) await rm(made, { recursive: true, force: true });
    }
  }

  #placeFetched(mirror: string, commit: string, dir: string, signal: AbortSignal): Promise<boolean> {
    const { runner, environment } = this.#options;
    return placeFetched({ runner, env: buildBase(environment), mirror }, commit, dir, signal);
  }
}
