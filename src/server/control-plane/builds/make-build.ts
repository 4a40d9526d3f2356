import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { SourceConfig } from '../../../contract/control-plane/sources.ts';
import { searchPathOf } from '../../../process/search-path.ts';
import { BuildError } from '../../../project/build-error.ts';
import { isInside } from '../../../project/paths.ts';
import { type Project, ProjectError, readProject } from '../../runtimes/project/project.ts';
import { type Build, buildOf } from './build.ts';
import type { CommandRunner, RunsCommands } from './command-runner.ts';
import type { DeploymentFolder, Manifest } from './deployment-folder.ts';
import type { BuildRequest } from './find-source.ts';
import { findPackageFolders, installationKey } from './install/installed-packages.ts';
import { type Installation, Installer, needsNodePackages } from './install/installer.ts';
import { buildsInPlace, reusePackages } from './install/reused-packages.ts';
import { systemName } from './machine-kind.ts';
import { requireInSource } from './paths-in-source.ts';
import type { FoundSource, SourceContext } from './sources/source.ts';

/** A build whose source has been found. */
export interface FoundBuild {
  readonly request: BuildRequest;
  readonly folder: DeploymentFolder;
  readonly key: string;
  readonly source: FoundSource;
  /** The path of langgraph.json, relative to the top of the source. */
  readonly configPath: string;
}

/** The folders that the commands of an isolated build may change. */
interface BuildPlaces {
  /** The folder of the build. */
  readonly folder: string;
  /** `HOME`, which is kept between builds of the deployment. */
  readonly home: string;
}

export interface InstallOptions {
  readonly runner: CommandRunner;
  /** Time limit of an installation command in milliseconds. */
  readonly installTimeoutMs: number;
  /** Whether a build is isolated from this machine. */
  isIsolated(config: SourceConfig): boolean;
  /** Opens the sandbox that runs the commands of an isolated build. */
  openSandbox(deploymentId: string, folders: BuildPlaces): Promise<RunsCommands>;
}

/**
 * Installs the packages of a source that is already in the folder of its build, runs its build command, and marks the
 * build as finished.
 * @param env the environment of the commands.
 * @throws BuildError or ProjectError; the signal's reason when aborted.
 */
export async function makeBuild(
  { request, folder, key, source, configPath }: FoundBuild,
  options: InstallOptions,
  env: Readonly<Record<string, string>>,
  context: SourceContext,
): Promise<Build> {
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
    searchPathOf(env),
    [...project.languages, ...(project.config.ui === undefined ? [] : ['ui'])].toSorted().join(),
    JSON.stringify([project.config.dependencies, project.config.python_version]),
  ]);
  const reuse = { folder, top, project, installationKey: installationId };
  const reused = await reusePackages(reuse, context);
  const isIsolated = options.isIsolated(sourceConfig);
  const installer = await installerFor(request, { folder: top, home: folder.home }, options, env);
  const { python } = reused ?? (await installer.install(installation, context));
  await installer.build(installation, context);
  // Without isolation, components are bundled when a page requests them.
  if (isIsolated) await installer.bundleUi(installation, context);
  // The build's commands may have changed files that were checked before.
  await loadProject(top, configPath);
  const manifest: Manifest = {
    key,
    commit: source.commit,
    changes: source.changes,
    config_path: configPath,
    installation_key: installationId,
    packages: needsNodePackages(project) ? await findPackageFolders(top) : [],
    python: python === undefined ? null : path.relative(top, python),
    made_in: project.languages.has('python') ? top : null,
    is_movable: !isIsolated && (await isMovable(installation)),
    is_apart: isIsolated,
    machine: systemName(),
    has_unbundled_ui: project.config.ui !== undefined && !isIsolated,
    finished_at: new Date().toISOString(),
  };
  await folder.finish(manifest);
  return buildOf(folder, manifest);
}

async function installerFor(
  { deploymentId, sourceConfig }: BuildRequest,
  places: BuildPlaces,
  { runner, installTimeoutMs, isIsolated, openSandbox }: InstallOptions,
  env: Readonly<Record<string, string>>,
): Promise<Installer> {
  return new Installer({
    runner: isIsolated(sourceConfig) ? await openSandbox(deploymentId, places) : runner,
    env,
    timeoutMs: installTimeoutMs,
  });
}

async function loadProject(top: string, configPath: string): Promise<Project> {
  const file = path.join(top, configPath);
  const real = await realpath(file).catch(() => {
    throw new BuildError(`${configPath} not found in the source. Check platform_config_path.`);
  });
  if (!isInside(top, real)) {
    throw new BuildError(`${configPath} points outside the source.`);
  }
  // The paths in langgraph.json are checked before any of them is opened, because an error about a file outside the
  // source would reveal its contents.
  await requireInSource(top, file);
  try {
    // The project is read without this machine's environment variables.
    return await readProject(file, {});
  } catch (error) {
    // Paths are shown relative to the source, without the build folder.
    if (error instanceof ProjectError) throw new BuildError(error.message.replaceAll(top + path.sep, ''));
    throw error;
  }
}

/** Whether all references to the folder of a build are known: custom commands may write its path anywhere. */
async function isMovable({ top, project, installCommand, buildCommand }: Installation): Promise<boolean> {
  if (!project.languages.has('python')) return true;
  return installCommand === null && buildCommand === null && !(await buildsInPlace(top));
}
