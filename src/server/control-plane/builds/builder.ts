import { createHash } from 'node:crypto';
import { link, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Selectable } from 'kysely';
import type {
  DeploymentSource,
  SourceConfig,
  SourceRevisionConfig,
} from '../../../contract/control-plane/sources.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import { BuildError } from '../../../project/build-error.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import { type Project, ProjectError, readProject } from '../../runtimes/project/project.ts';
import type { RevisionTable } from '../../storage/control-plane-schema.ts';
import { buildBase } from './base-environment.ts';
import { BuildFolder, failedSource, type Manifest } from './build-folder.ts';
import type { BuildStore } from './build-store.ts';
import type { CommandRunner, RunsCommands } from './command-runner.ts';
import { withFullDisk } from './full-disk.ts';
import type { ImageBuild, ImageBuilder } from './image-builder.ts';
import { installationKey, packageFolders } from './install/installed-packages.ts';
import { type Installation, Installer, needsNodePackages } from './install/installer.ts';
import { buildsInPlace, reusePackages } from './install/reused-packages.ts';
import { runsHere, systemName } from './machine-fingerprint.ts';
import { requireInSource } from './paths-in-source.ts';
import { removeEach } from './remove-folder.ts';
import { folderSource } from './sources/folder-source.ts';
import type { GitAccess } from './sources/git-access.ts';
import { gitSource } from './sources/git-source.ts';
import type { FoundSource, SourceContext } from './sources/source.ts';
import { packFolder, tarballSource } from './sources/tarball-source.ts';

export interface BuildRequest {
  readonly deploymentId: string;
  readonly revisionId: string;
  readonly source: DeploymentSource;
  readonly sourceConfig: SourceConfig;
  readonly sourceRevisionConfig: SourceRevisionConfig;
  /** The build of the revision that this one repeats, if known. */
  readonly buildKey: string | null;
  /** The token for the repository's host, from the deployment's integration. */
  readonly gitAccess: GitAccess | undefined;
  /** Whether it is built from the source that another server has stored. */
  readonly isArchived?: boolean;
  /** Called with the commit before it is built. */
  onFound(commit: string, changes: number | null): Promise<void>;
}

/** The build from which a revision is served. */
export type Build = SourceBuild | ImageBuild;

export interface SourceBuild {
  readonly kind: 'source';
  readonly key: string;
  readonly commit: string | null;
  /** How many files of a folder differ from the commit; null if that is not known. */
  readonly changes: number | null;
  /** Absolute path of its langgraph.json. */
  readonly configPath: string;
  /** Absolute path of the Python environment that was made for it; undefined when its graphs need none. */
  readonly python: string | undefined;
}

export interface BuilderOptions {
  readonly dataDir: string;
  readonly runner: CommandRunner;
  readonly images: ImageBuilder;
  /** Shares builds with other servers; undefined where there are none. */
  readonly shared?: BuildStore | undefined;
  /** The server's own environment; commands get a part of it. */
  readonly environment: NodeJS.ProcessEnv;
  /** Time limit of an installation command in milliseconds. */
  readonly installTimeoutMs: number;
  /** Whether a build is isolated from this machine. */
  isApart(config: SourceConfig): boolean;
  /** Opens the sandbox that runs the commands of an isolated build. */
  openSandbox(deploymentId: string, folders: BuildPlaces): Promise<RunsCommands>;
}

/** A build whose source has been found. */
interface ToMake {
  readonly request: BuildRequest;
  readonly folder: BuildFolder;
  readonly key: string;
  readonly source: FoundSource;
  readonly configPath: string;
}

/** Folders that the commands of a build may change. */
export interface BuildPlaces {
  readonly folder: string;
  readonly home: string;
}

/** Builds the source of a revision into a folder with everything its graphs need, once per content. */
export class Builder {
  readonly #options: BuilderOptions;
  readonly #env: Readonly<Record<string, string>>;
  /**
   * By folder of a build: of two that are built or fetched at once, one would remove what the other serves.
   */
  readonly #mutex = new KeyedMutex();

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#env = buildBase(options.environment);
  }

  folder(deploymentId: string): BuildFolder {
    return new BuildFolder(this.#options.dataDir, deploymentId);
  }

  /** Removes everything of a deployment, here and for other servers. */
  async removeAll(deploymentId: string): Promise<void> {
    await this.folder(deploymentId).removeAll();
    await this.#options.shared?.removeAll(deploymentId);
  }

  /** The IDs of all deployments that have files here. */
  deploymentIds(): Promise<string[]> {
    return BuildFolder.deploymentIds(this.#options.dataDir);
  }

  /** The finished build of a revision. @throws NoContainerToolError for a revision of an image. */
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
   * Finds the source, places it, installs and builds.
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
      // A build of another server has already been reported for the revision.
      if (!request.isArchived) context.log('INFO', 'This source is already built. Nothing to do.');
      await this.#share(folder, request, known.key, context);
      return buildOf(folder, known);
    }
    const source = await this.#find(request, folder, context);
    if (source.commit !== null) await request.onFound(source.commit, source.changes);
    const configPath = configPathOf(request.sourceRevisionConfig);
    // An archive is the source of just one build, so its own key identifies it.
    const sameSource = archiveOf(request) ?? keyOf(source, configPath, request.sourceConfig);
    const same = await this.#findHere(folder, sameSource);
    // An earlier build without components stays unchanged, because it may be served.
    const needsUi = same?.has_unbundled_ui === true && this.#options.isApart(request.sourceConfig);
    const key = needsUi ? `${sameSource}-ui` : sameSource;
    const what = { request, folder, key, source, configPath };
    return this.#mutex.run(folder.build(key), () => this.#makeOnce(what, context));
  }

  /** Builds a source, unless its build is on disk. */
  async #makeOnce(what: ToMake, context: SourceContext): Promise<Build> {
    const { request, folder, key, source } = what;
    const before = await this.#findHere(folder, key);
    if (before !== undefined) {
      await source.discard();
      await this.#share(folder, request, key, context);
      context.log('INFO', 'Nothing has changed since the last build. Reusing it.');
      // The same files may belong to another commit now.
      return { ...buildOf(folder, before), commit: source.commit, changes: source.changes };
    }
    await folder.remove(key);
    try {
      await source.place(folder.build(key));
      if (request.source === 'workspace' || this.#options.shared !== undefined)
        await packFolder(folder.build(key), folder.archive(key));
      const build = await this.#make(what, context);
      await this.#share(folder, request, key, context);
      return build;
    } catch (error) {
      // Measured before the files that fill the disk are removed.
      const reason = await withFullDisk(error, folder.builds);
      await this.#keepSource(what, context);
      // A folder that cannot be removed now has no manifest, and is removed before the next build of the same
      // source.
      await removeEach([() => source.discard(), () => folder.remove(key)], (remove) => remove()).catch(
        () => {},
      );
      throw reason;
    }
  }

  /** Keeps the packed source of a build that failed, to compare it with others. */
  async #keepSource({ request, folder, key }: ToMake, { signal }: SourceContext): Promise<void> {
    const { deploymentId, revisionId } = request;
    const kept = failedSource(revisionId);
    try {
      await link(folder.archive(key), folder.archive(kept));
      await this.#options.shared?.putSource(folder, { deploymentId, key: kept }, signal);
    } catch {
      // Without it the revision cannot be compared; the reason of the failure matters more.
    }
  }

  /**
   * A finished build. In a team, it is fetched or built again when this machine no longer matches, for example
   * after an update of Python.
   */
  async #findHere(folder: BuildFolder, key: string): Promise<Manifest | undefined> {
    const manifest = await folder.find(key);
    // Builds of earlier versions do not record what they were built for.
    if (manifest?.machine == null || this.#options.shared === undefined) return manifest;
    return (await runsHere(folder.build(key), manifest)) ? manifest : undefined;
  }

  /** The finished build of a request that names one, from this server or another. */
  async #findKnown(
    { deploymentId, buildKey }: BuildRequest,
    folder: BuildFolder,
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
    folder: BuildFolder,
    { deploymentId }: BuildRequest,
    key: string,
    { signal }: SourceContext,
  ): Promise<void> {
    await this.#options.shared?.put(folder, { deploymentId, key }, signal);
  }

  async #make({ request, folder, key, source, configPath }: ToMake, context: SourceContext): Promise<Build> {
    const { sourceConfig } = request;
    const top = await realpath(folder.build(key));
    const project = await loadProject(top, configPath);
    const installation: Installation = {
      project,
      top,
      installCommand: sourceConfig.install_command ?? null,
      buildCommand: sourceConfig.build_command ?? null,
    };
    const installationId = await installationKey(top, [
      path.relative(top, project.dir),
      installation.installCommand,
      searchPathOf(this.#env),
      [...project.languages, ...(project.config.ui === undefined ? [] : ['ui'])].toSorted().join(),
      JSON.stringify([project.config.dependencies, project.config.python_version]),
    ]);
    const reuse = { folder, top, project, installationKey: installationId };
    const reused = await reusePackages(reuse, context);
    const isApart = this.#options.isApart(sourceConfig);
    const installer = await this.#installerIn(request, { folder: top, home: folder.home });
    const { python } = reused ?? (await installer.install(installation, context));
    await installer.build(installation, context);
    // Elsewhere they are bundled when a page asks for them.
    if (isApart) await installer.bundleUi(installation, context);
    // Its commands may have changed files that were checked before.
    await loadProject(top, configPath);
    const manifest: Manifest = {
      key,
      commit: source.commit,
      changes: source.changes,
      config_path: configPath,
      installation_key: installationId,
      packages: needsNodePackages(project) ? await packageFolders(top) : [],
      python: python === undefined ? null : path.relative(top, python),
      made_in: project.languages.has('python') ? top : null,
      is_movable: !isApart && (await isMovable(installation)),
      is_apart: isApart,
      machine: systemName(),
      has_unbundled_ui: project.config.ui !== undefined && !isApart,
      finished_at: new Date().toISOString(),
    };
    await folder.finish(manifest);
    return buildOf(folder, manifest);
  }

  async #installerIn({ deploymentId, sourceConfig }: BuildRequest, places: BuildPlaces): Promise<Installer> {
    const { runner, installTimeoutMs, isApart, openSandbox } = this.#options;
    return new Installer({
      runner: isApart(sourceConfig) ? await openSandbox(deploymentId, places) : runner,
      env: this.#env,
      timeoutMs: installTimeoutMs,
    });
  }

  async #find(request: BuildRequest, folder: BuildFolder, context: SourceContext): Promise<FoundSource> {
    const { source, sourceConfig, sourceRevisionConfig } = request;
    const { runner, shared } = this.#options;
    const earlier = archiveOf(request);
    if (earlier !== undefined) {
      await shared?.getSource(folder, { deploymentId: request.deploymentId, key: earlier }, context.signal);
      return tarballSource(folder.archive(earlier), context);
    }
    switch (source) {
      case 'github':
        return gitSource(
          {
            runner,
            env: this.#env,
            mirror: folder.mirror,
            url: sourceConfig.repo_url ?? '',
            ref: sourceRevisionConfig.repo_commit_sha ?? sourceRevisionConfig.repo_ref ?? null,
            access: request.gitAccess,
          },
          context,
        );
      case 'internal_source': {
        const id = uploadIdOf(sourceRevisionConfig);
        await shared?.getUpload(folder, request.deploymentId, id, context.signal);
        return tarballSource(folder.upload(id), context);
      }
      case 'workspace': {
        const dir = sourceConfig.workspace_dir;
        if (typeof dir !== 'string') throw new BuildError('source_config.workspace_dir is not a folder.');
        return folderSource(
          { runner, env: this.#env, dir, staging: folder.staging(request.revisionId) },
          context,
        );
      }
      case 'external_docker':
      case 'internal_docker':
        throw new BuildError(`Source ${source} cannot be built from files.`);
    }
  }
}

/**
 * The build whose source was stored: the original folder has changed since, or another server has found it.
 */
function archiveOf({ source, buildKey, isArchived }: BuildRequest): string | undefined {
  return (source === 'workspace' || isArchived) && buildKey !== null ? buildKey : undefined;
}

/** The path below the top of the source, with slashes; langgraph.json by default. */
export function configPathOf(config: SourceRevisionConfig): string {
  const given = config.platform_config_path ?? config.langgraph_config_path ?? 'langgraph.json';
  return path.posix.normalize(given.replaceAll('\\', '/')).replace(/^\.\//, '');
}

/** The id in an object path such as `uploads/<id>.tar.gz`. */
export function uploadIdOf(config: SourceRevisionConfig): string {
  const id = config.source_tarball_path?.match(/^uploads\/([0-9a-f-]{36})\.tar\.gz$/)?.[1];
  if (id === undefined) throw new BuildError('No source was uploaded for this revision.');
  return id;
}

function keyOf(source: FoundSource, configPath: string, config: SourceConfig): string {
  const parts = [source.key, configPath, config.install_command, config.build_command].map(String);
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 20);
}

async function loadProject(top: string, configPath: string): Promise<Project> {
  const file = path.join(top, configPath);
  const real = await realpath(file).catch(() => {
    throw new BuildError(`${configPath} not found in the source. Check platform_config_path.`);
  });
  if (!real.startsWith(top + path.sep)) {
    throw new BuildError(`${configPath} points outside the source.`);
  }
  // Checked before any path in it is opened, because an error about a file outside would reveal its contents.
  await requireInSource(top, file);
  try {
    // A source is read without this machine's variables.
    return await readProject(file, {});
  } catch (error) {
    // Shows paths relative to the source instead of the build folder.
    if (error instanceof ProjectError) throw new BuildError(error.message.replaceAll(top + path.sep, ''));
    throw error;
  }
}

/**
 * Whether everything that refers to the folder of a build is known: custom commands may write it anywhere.
 */
async function isMovable({ top, project, installCommand, buildCommand }: Installation): Promise<boolean> {
  if (!project.languages.has('python')) return true;
  return installCommand === null && buildCommand === null && !(await buildsInPlace(top));
}

function buildOf(folder: BuildFolder, manifest: Manifest): SourceBuild {
  return {
    kind: 'source',
    key: manifest.key,
    commit: manifest.commit,
    changes: manifest.changes,
    configPath: path.join(folder.build(manifest.key), manifest.config_path),
    python: manifest.python === null ? undefined : path.resolve(folder.build(manifest.key), manifest.python),
  };
}
