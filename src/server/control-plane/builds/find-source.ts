import { createHash } from 'node:crypto';
import path from 'node:path';
import type {
  DeploymentSource,
  SourceConfig,
  SourceRevisionConfig,
} from '../../../contract/control-plane/sources.ts';
import { BuildError } from '../../../project/build-error.ts';
import type { BuildStore } from './build-store.ts';
import type { CommandRunner } from './command-runner.ts';
import type { DeploymentFolder } from './deployment-folder.ts';
import { idOfObjectPath } from './object-path.ts';
import { folderSource } from './sources/folder-source.ts';
import type { GitAccess } from './sources/git-access.ts';
import { gitSource } from './sources/git-source.ts';
import type { FoundSource, SourceContext } from './sources/source.ts';
import { tarballSource } from './sources/tarball-source.ts';

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
  /** Whether the revision is built from the source that another server has stored. */
  readonly isArchived?: boolean;
  /** Called before the build starts, with the commit and how many files differ from it (null if unknown). */
  onFound(commit: string, changes: number | null): Promise<void>;
}

interface SourceOptions {
  readonly runner: CommandRunner;
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Shares sources with other servers; undefined if there are none. */
  readonly shared: BuildStore | undefined;
}

/**
 * Finds the files that a revision is built from.
 * @throws BuildError; the signal's reason when aborted
 */
export async function findSource(
  request: BuildRequest,
  folder: DeploymentFolder,
  { runner, env, shared }: SourceOptions,
  context: SourceContext,
): Promise<FoundSource> {
  const { source, sourceConfig, sourceRevisionConfig } = request;
  const earlier = storedSourceOf(request);
  if (earlier !== undefined) {
    await shared?.getSource(folder, { deploymentId: request.deploymentId, key: earlier }, context.signal);
    return tarballSource(folder.archive(earlier), context);
  }
  switch (source) {
    case 'github':
      return gitSource(
        {
          runner,
          env,
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
      return folderSource({ runner, env, dir, staging: folder.staging(request.revisionId) }, context);
    }
    case 'external_docker':
    case 'internal_docker':
      throw new BuildError(`Source ${source} cannot be built from files.`);
  }
}

/**
 * The key of the build whose stored source is used: for a repeated revision of a folder, which may have
 * changed since, and for a revision that another server has built. Undefined if the source must be fetched or
 * copied.
 */
export function storedSourceOf({ source, buildKey, isArchived }: BuildRequest): string | undefined {
  return (source === 'workspace' || isArchived) && buildKey !== null ? buildKey : undefined;
}

/** The path of langgraph.json, relative to the top of the source, with slashes. */
export function configPathOf(config: SourceRevisionConfig): string {
  const given = config.platform_config_path ?? config.langgraph_config_path ?? 'langgraph.json';
  return path.posix.normalize(given.replaceAll('\\', '/')).replace(/^\.\//, '');
}

/** The ID of the uploaded tarball of a revision. @throws BuildError if there is none. */
export function uploadIdOf(config: SourceRevisionConfig): string {
  const id = idOfObjectPath(config.source_tarball_path ?? '');
  if (id === undefined)
    throw new BuildError(
      'No source was uploaded for this revision. Upload a tarball and set source_tarball_path.',
    );
  return id;
}

/**
 * The key of a source with its commands, from which its build gets its key: the same for the same files and
 * commands.
 */
export function sourceKey(source: FoundSource, configPath: string, config: SourceConfig): string {
  const parts = [source.key, configPath, config.install_command, config.build_command].map(String);
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 20);
}
