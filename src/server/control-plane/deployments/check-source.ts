import { stat } from 'node:fs/promises';
import path from 'node:path';
import type {
  DeploymentSource,
  SourceConfig,
  SourceRevisionConfig,
  SourceRevisionConfigRequest,
} from '../../../contract/control-plane/sources.ts';
import { badRequest, type HttpError, invalid } from '../../http/errors.ts';
import { CommandLineError, splitCommandLine } from '../builds/install/command-line.ts';
import { problemOfRef, problemOfRepositoryUrl } from '../builds/sources/repository-url.ts';

/**
 * Validates a source before it is fetched.
 * @param given the revision fields of the request, under any of their names.
 * @throws HttpError 400 for unsupported sources, 422 for invalid fields.
 */
export async function checkSource(
  source: DeploymentSource,
  config: SourceConfig,
  revision: SourceRevisionConfig,
  given: SourceRevisionConfigRequest,
): Promise<void> {
  if (source === 'external_docker' || source === 'internal_docker' || revision.image_uri) throw noImages();
  checkConfigPath(given);
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

/** HttpError 400 for what only a platform with containers could deploy. */
export function noImages(): HttpError {
  return badRequest(
    'This server does not run containers, so it cannot deploy an image. Use a git repository (source "github"), an uploaded tarball ("internal_source"), or a local folder ("workspace").',
  );
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
  const info = await stat(dir).catch(() => undefined);
  if (!info?.isDirectory()) throw invalid(place, `Folder not found: ${dir}.`);
}

function checkConfigPath(revision: SourceRevisionConfigRequest): void {
  const { platform_config_path: ours, langgraph_config_path: theirs } = revision;
  if (ours && theirs && ours !== theirs) {
    throw invalid(
      ['body', 'source_revision_config', 'langgraph_config_path'],
      'Must be the same as platform_config_path, which is another name of this field.',
    );
  }
  const given = ours ?? theirs;
  if (!given) return;
  const place = ['body', 'source_revision_config', ours ? 'platform_config_path' : 'langgraph_config_path'];
  const parts = given.split(/[/\\]/);
  if (path.posix.isAbsolute(given) || path.win32.isAbsolute(given) || parts.includes('..')) {
    throw invalid(place, 'Must be a path inside the source, such as agents/langgraph.json.');
  }
  if (given.includes('\0')) throw invalid(place, 'Must be a path.');
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
