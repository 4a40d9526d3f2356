import { stat } from 'node:fs/promises';
import path from 'node:path';
import { NoContainerToolError } from '../../../containers/container-tool.ts';
import type { RememberedTool } from '../../../containers/remembered-tool.ts';
import type {
  DeploymentSource,
  SourceConfig,
  SourceRevisionConfig,
  SourceRevisionConfigRequest,
} from '../../../contract/control-plane/sources.ts';
import { ifReadable } from '../../../process/if-present.ts';
import type { Caller } from '../../http/caller.ts';
import { badRequest, forbidden, type HttpError, invalid } from '../../http/errors.ts';
import { CommandLineError, splitCommandLine } from '../builds/install/command-line.ts';
import { problemOfRef } from '../builds/sources/git-ref.ts';
import { problemOfImage } from '../builds/sources/image-reference.ts';
import { isOnDisk, problemOfRepositoryUrl } from '../builds/sources/repository-url.ts';

/** A source to check, as it would be stored. */
export interface SourceToCheck {
  readonly source: DeploymentSource;
  readonly config: SourceConfig;
  /** The fields of `config` that the request sets. */
  readonly changes: SourceConfig;
  readonly revision: SourceRevisionConfig;
  /** The caller who requests the deployment. */
  readonly caller: Pick<Caller, 'isOwner'>;
  /** The same fields as `revision`, as the request names them. */
  readonly given: SourceRevisionConfigRequest;
}

/** Finds the tool that runs images. */
export type FindsTool = Pick<RememberedTool, 'find'>;

/**
 * Validates a source before it is fetched.
 * @throws HttpError 400 for unsupported sources, 422 for invalid fields, 403 for sources that only the machine's
 * owner may deploy.
 */
export async function checkSource(
  { source, config, changes, revision, given, caller }: SourceToCheck,
  tools: FindsTool,
): Promise<void> {
  checkOwner(changes, caller);
  if (source === 'internal_docker') throw noRegistry();
  if (source === 'external_docker') {
    checkFieldsOfImage(changes);
    return checkImage(revision.image_uri, tools);
  }
  if (revision.image_uri) {
    throw invalid(
      ['body', 'source_revision_config', 'image_uri'],
      `Only the source external_docker is an image. The source of this deployment is ${source}.`,
    );
  }
  checkConfigPath(given);
  if (config.isolation === 'container') await checkTool(tools);
  checkCommand('install_command', config.install_command);
  checkCommand('build_command', config.build_command);
  const ref = revision.repo_ref ?? undefined;
  const refProblem = ref === undefined ? undefined : problemOfRef(ref);
  if (refProblem !== undefined) throw invalid(['body', 'source_revision_config', 'repo_ref'], refProblem);
  if (config.build_on_push === true && ref?.startsWith('refs/tags/')) {
    throw badRequest('build_on_push needs a branch, but repo_ref is a tag.');
  }
  switch (source) {
    case 'github':
      return checkRepository(config);
    case 'workspace':
      return checkFolder(config);
    case 'internal_source':
      return;
  }
}

/**
 * Only the machine's owner may deploy folders and repositories on the server's disk, because others with the right to
 * deploy may not be allowed to read them.
 */
function checkOwner({ repo_url, workspace_dir }: SourceConfig, { isOwner }: Pick<Caller, 'isOwner'>): void {
  if (isOwner === true) return;
  if (workspace_dir != null) throw onlyForOwner("A folder of the server's machine");
  if (typeof repo_url === 'string' && isOnDisk(repo_url))
    throw onlyForOwner("A repository on the server's machine");
}

function onlyForOwner(source: string): HttpError {
  return forbidden(
    `${source} can only be deployed with the owner's key. Upload the source (source: internal_source, agent-harbor deploy), or deploy a repository of a host.`,
  );
}

function noRegistry(): HttpError {
  return badRequest(
    'This server has no registry to push an image to. Use the source "external_docker", and set image_uri to the name of an image on this machine or in another registry.',
  );
}

/** Refuses fields that have no effect on images. */
function checkFieldsOfImage({ isolation, record, drain_minutes }: SourceConfig): void {
  const refuse = (field: string, reason: string) => {
    throw invalid(['body', 'source_config', field], reason);
  };
  if (isolation != null)
    refuse(
      'isolation',
      'An image always runs in a separate container. Leave this out; it is for deployments that are built from sources.',
    );
  if (record != null)
    refuse(
      'record',
      'An image has its own server. Leave this out, and record its runs with "record": true in their requests.',
    );
  if (drain_minutes != null)
    refuse(
      'drain_minutes',
      'Runs of an image end in its container. Leave this out; it is for deployments that are built from sources.',
    );
}

async function checkImage(image: string | null | undefined, tools: FindsTool): Promise<void> {
  const place = ['body', 'source_revision_config', 'image_uri'];
  if (!image) throw invalid(place, 'Field required: the name of an image, with a tag or digest.', 'missing');
  const problem = problemOfImage(image);
  if (problem !== undefined) throw invalid(place, problem);
  await checkTool(tools);
}

async function checkTool(tools: FindsTool): Promise<void> {
  await tools.find().catch((error: unknown) => {
    throw error instanceof NoContainerToolError ? badRequest(error.message) : error;
  });
}

function checkRepository(config: SourceConfig): void {
  const place = ['body', 'source_config', 'repo_url'];
  if (typeof config.repo_url !== 'string') {
    throw invalid(
      place,
      'Field required: the URL of a git repository (https://…, ssh://… or file:///…).',
      'missing',
    );
  }
  const problem = problemOfRepositoryUrl(config.repo_url);
  if (problem !== undefined) throw invalid(place, problem);
}

async function checkFolder(config: SourceConfig): Promise<void> {
  const place = ['body', 'source_config', 'workspace_dir'];
  const dir = config.workspace_dir;
  if (typeof dir !== 'string') throw invalid(place, 'Field required: the folder to deploy.', 'missing');
  if (!path.isAbsolute(dir)) throw invalid(place, 'Must be an absolute path.');
  const info = await ifReadable(stat(dir));
  if (!info?.isDirectory()) throw invalid(place, `Folder not found: ${dir}.`);
}

function checkConfigPath(revision: SourceRevisionConfigRequest): void {
  const { platform_config_path: platformPath, langgraph_config_path: langgraphPath } = revision;
  if (platformPath && langgraphPath && platformPath !== langgraphPath) {
    throw invalid(
      ['body', 'source_revision_config', 'langgraph_config_path'],
      'Must be the same as platform_config_path, which is another name of this field.',
    );
  }
  const given = platformPath ?? langgraphPath;
  if (!given) return;
  const field = platformPath ? 'platform_config_path' : 'langgraph_config_path';
  const place = ['body', 'source_revision_config', field];
  const parts = given.split(/[/\\]/);
  if (path.posix.isAbsolute(given) || path.win32.isAbsolute(given) || parts.includes('..')) {
    throw invalid(place, 'Must be a path inside the source, such as agents/langgraph.json.');
  }
  if (given.includes('\0')) throw invalid(place, 'Must not contain a null character.');
}

function checkCommand(field: 'install_command' | 'build_command', line: string | null | undefined): void {
  if (!line) return;
  try {
    splitCommandLine(line);
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error;
    throw invalid(['body', 'source_config', field], error.message);
  }
}
