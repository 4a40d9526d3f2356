import { link } from 'node:fs/promises';
import type { Selectable } from 'kysely';
import { removeEach } from '../../../process/remove-each.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import type { RevisionTable } from '../../storage/control-plane-schema.ts';
import { buildBase } from './base-environment.ts';
import { type Build, buildOf } from './build.ts';
import type { BuildStore } from './build-store.ts';
import { DeploymentFolder, failedSourceKey, type Manifest } from './deployment-folder.ts';
import { type BuildRequest, configPathOf, findSource, sourceKey, storedSourceOf } from './find-source.ts';
import { withFullDisk } from './full-disk.ts';
import type { ImageBuilder } from './image-builder.ts';
import { runsHere } from './machine-kind.ts';
import { type FoundBuild, type InstallOptions, makeBuild } from './make-build.ts';
import type { SourceContext } from './sources/source.ts';
import { packFolder } from './sources/tarball-source.ts';

export interface BuilderOptions extends InstallOptions {
  readonly dataDir: string;
  readonly images: ImageBuilder;
  /** Shares builds with other servers; undefined if there are none. */
  readonly shared?: BuildStore | undefined;
  /** The server's own environment; commands get a part of it. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Builds revisions: finds the source, and installs its packages into a folder from which the graphs can be served.
 * Sources with the same content are built once.
 */
export class Builder {
  readonly #options: BuilderOptions;
  readonly #env: Readonly<Record<string, string>>;
  /** Locks by build folder: two builds or fetches at once would remove each other's files. */
  readonly #mutex = new KeyedMutex();

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#env = buildBase(options.environment);
  }

  folder(deploymentId: string): DeploymentFolder {
    return new DeploymentFolder(this.#options.dataDir, deploymentId);
  }

  /** Removes all files of a deployment, on this server and in the store that servers share. */
  async removeAll(deploymentId: string): Promise<void> {
    await this.folder(deploymentId).removeAll();
    await this.#options.shared?.removeAll(deploymentId);
  }

  /** The IDs of all deployments that have files here. */
  deploymentIds(): Promise<string[]> {
    return DeploymentFolder.deploymentIds(this.#options.dataDir);
  }

  /**
   * The finished build of a revision; undefined if it is not on this machine.
   * @throws NoContainerToolError for a revision from an image if no container tool is found.
   */
  async find({
    deployment_id,
    source,
    build_key,
  }: Pick<Selectable<RevisionTable>, 'deployment_id' | 'source' | 'build_key'>): Promise<Build | undefined> {
    if (build_key === null) return undefined;
    if (source === 'external_docker') return this.#options.images.find(build_key);
    const folder = this.folder(deployment_id);
    const manifest = await this.#findHere(folder, build_key);
    return manifest === undefined ? undefined : buildOf(folder, manifest);
  }

  /**
   * Builds a revision, or finds the build of the same source.
   * @throws BuildError or ProjectError with the reason; the signal's reason when aborted.
   */
  async build(request: BuildRequest, context: SourceContext): Promise<Build> {
    if (request.source === 'external_docker') {
      return this.#options.images.get(request.sourceRevisionConfig, request.buildKey, context);
    }
    const folder = this.folder(request.deploymentId);
    await folder.prepare();
    const known = await this.#findKnown(request, folder, context);
    if (known !== undefined) {
      // For a build that another server has made, this has already been reported.
      if (!request.isArchived) context.log('INFO', 'This source is already built. Nothing to do.');
      await this.#share(folder, request, known.key, context);
      return buildOf(folder, known);
    }
    const source = await findSource(
      request,
      folder,
      { runner: this.#options.runner, env: this.#env, shared: this.#options.shared },
      context,
    );
    if (source.commit !== null) await request.onFound(source.commit, source.changes);
    const configPath = configPathOf(request.sourceRevisionConfig);
    // An archive has the source of a single build, so that build's key identifies the source.
    const sameSource = storedSourceOf(request) ?? sourceKey(source, configPath, request.sourceConfig);
    const same = await this.#findHere(folder, sameSource);
    // An earlier build without components stays unchanged, because it may be served.
    const needsUi = same?.has_unbundled_ui === true && this.#options.isIsolated(request.sourceConfig);
    const key = needsUi ? `${sameSource}-ui` : sameSource;
    const found = { request, folder, key, source, configPath };
    return this.#mutex.run(folder.build(key), () => this.#makeOnce(found, context));
  }

  /** Builds a source, unless its build is on disk. */
  async #makeOnce(found: FoundBuild, context: SourceContext): Promise<Build> {
    const { request, folder, key, source } = found;
    const before = await this.#findHere(folder, key);
    if (before !== undefined) {
      await source.discard();
      await this.#share(folder, request, key, context);
      context.log('INFO', 'Nothing has changed since the last build. Reusing it.');
      // The same files may now belong to a different commit.
      return { ...buildOf(folder, before), commit: source.commit, changes: source.changes };
    }
    await folder.remove(key);
    try {
      await source.place(folder.build(key));
      if (request.source === 'workspace' || this.#options.shared !== undefined)
        await packFolder(folder.build(key), folder.archive(key));
      const build = await makeBuild(found, this.#options, this.#env, context);
      await this.#share(folder, request, key, context);
      return build;
    } catch (error) {
      // The disk is measured before the files that fill it are removed.
      const reason = await withFullDisk(error, folder.builds);
      await this.#keepSource(found, context);
      // A folder that cannot be removed now has no manifest, and is removed before the next build of the same
      // source.
      await removeEach([() => source.discard(), () => folder.remove(key)], (remove) => remove()).catch(
        () => {},
      );
      throw reason;
    }
  }

  /** Keeps the packed source of a failed build, so that it can be compared with others. */
  async #keepSource({ request, folder, key }: FoundBuild, { signal }: SourceContext): Promise<void> {
    const { deploymentId, revisionId } = request;
    const kept = failedSourceKey(revisionId);
    try {
      await link(folder.archive(key), folder.archive(kept));
      await this.#options.shared?.putSource(folder, { deploymentId, key: kept }, signal);
    } catch {
      // Without its source, the revision cannot be compared, but the reason why the build failed matters
      // more.
    }
  }

  /**
   * A finished build on this server. In a team, undefined if the build no longer matches this machine, for
   * example after an update of Python; the caller then fetches it or builds it again.
   */
  async #findHere(folder: DeploymentFolder, key: string): Promise<Manifest | undefined> {
    const manifest = await folder.find(key);
    // Builds made by earlier versions do not record the kind of machine.
    if (manifest?.machine == null || this.#options.shared === undefined) return manifest;
    return (await runsHere(folder.build(key), manifest)) ? manifest : undefined;
  }

  /** The finished build that a request names, from this server or another one. */
  async #findKnown(
    { deploymentId, buildKey }: BuildRequest,
    folder: DeploymentFolder,
    { signal }: SourceContext,
  ): Promise<Manifest | undefined> {
    if (buildKey === null) return undefined;
    return this.#mutex.run(folder.build(buildKey), async () => {
      const own = await this.#findHere(folder, buildKey);
      const { shared } = this.#options;
      if (own !== undefined || shared === undefined) return own;
      const isFetched = await shared.get(folder, { deploymentId, key: buildKey }, signal);
      return isFetched ? folder.find(buildKey) : undefined;
    });
  }

  /** Shares a finished build with other servers. */
  async #share(
    folder: DeploymentFolder,
    { deploymentId }: BuildRequest,
    key: string,
    { signal }: SourceContext,
  ): Promise<void> {
    await this.#options.shared?.put(folder, { deploymentId, key }, signal);
  }
}
