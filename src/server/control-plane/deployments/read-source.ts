import type { DeploymentCreate, DeploymentPatch } from '../../../contract/control-plane/deployments.ts';
import type {
  SourceConfig,
  SourceConfigRequest,
  SourceRevisionConfig,
  SourceRevisionConfigRequest,
} from '../../../contract/control-plane/sources.ts';
import type { Caller } from '../../http/caller.ts';
import { badRequest, type HttpError } from '../../http/errors.ts';
import type { DeploymentRow } from '../data/deployment-store.ts';
import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import { checkSource, type FindsTool } from './check-source.ts';

/** The source of a deployment, as it is stored. */
export interface Source {
  readonly sourceConfig: SourceConfig;
  readonly revisionConfig: SourceRevisionConfig;
}

/**
 * Reads and checks the source in a request for a new deployment.
 * @throws HttpError 400 for sources that this server cannot deploy, 422 for an invalid source.
 */
export async function readNewSource(
  caller: Caller,
  body: DeploymentCreate,
  tools: FindsTool,
): Promise<Source> {
  const sourceConfig = { ...withoutNulls(body.source_config), custom_url: null };
  const revisionConfig = revisionConfigOf(body.source_revision_config);
  await checkSource(
    {
      source: body.source,
      config: sourceConfig,
      changes: sourceConfig,
      revision: revisionConfig,
      given: body.source_revision_config,
      caller,
    },
    tools,
  );
  // A tarball can only be uploaded for a deployment that exists.
  if (revisionConfig.source_tarball_path) throw notUploaded();
  return { sourceConfig, revisionConfig };
}

/** The outcome of a change to each field; fields with `refusal` cannot be changed. */
const OUTCOMES = {
  integration_id: 'refusal',
  repo_url: 'refusal',
  deployment_type: 'refusal',
  listener_id: 'refusal',
  workspace_dir: 'refusal',
  resource_spec: 'build',
  isolation: 'build',
  install_command: 'build',
  build_command: 'build',
  record: 'rollout',
  build_on_push: 'nothing',
  custom_url: 'nothing',
  listener_config: 'nothing',
  drain_minutes: 'nothing',
} satisfies Record<keyof SourceConfigRequest, 'refusal' | 'build' | 'rollout' | 'nothing'>;

/**
 * Reads and checks the source of a deployment after an update.
 * @returns the source, and the outcome: a revision with a new build (`build`), a revision with the live build
 * (`rollout`), or no revision (`nothing`).
 * @throws HttpError 400 for fields that cannot be changed; 422 for an invalid source.
 */
export async function readChangedSource(
  caller: Caller,
  row: DeploymentRow,
  patch: DeploymentPatch,
  tools: FindsTool,
): Promise<Source & { outcome: 'build' | 'rollout' | 'nothing' }> {
  if (row.config_path !== null) throw folderCannotChange();
  const source = patch.revision_source ?? row.source;
  if (source !== row.source) {
    throw badRequest(`The source of a deployment cannot be changed from ${row.source} to ${source}.`);
  }
  const before = readSourceConfig(row.source_config);
  const changes = withoutNulls(patch.source_config ?? {});
  checkImmutable(before, changes);
  const sourceConfig: SourceConfig = { ...before, ...changes, custom_url: null };
  const revisionConfig = revisionConfigOf(
    patch.source_revision_config ?? {},
    readRevisionConfig(row.source_revision_config),
  );
  const given = patch.source_revision_config ?? {};
  await checkSource(
    { source: row.source, config: sourceConfig, changes, revision: revisionConfig, given, caller },
    tools,
  );
  const outcomes = Object.entries(OUTCOMES).flatMap(([field, outcome]) =>
    changes[field] === undefined ? [] : [outcome],
  );
  const isBuiltAnew = patch.source_revision_config != null || outcomes.includes('build');
  const outcome = isBuiltAnew ? 'build' : outcomes.includes('rollout') ? 'rollout' : 'nothing';
  return { sourceConfig, revisionConfig, outcome };
}

/** The fields that a change sets; null and absent fields change nothing. */
function withoutNulls(config: SourceConfigRequest): SourceConfig {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== null && value !== undefined),
  );
}

/**
 * The stored revision config, with the changes of a request. The path of langgraph.json is stored as
 * `platform_config_path`. The commit, the uncommitted changes and the digest of an earlier revision are left
 * out.
 */
function revisionConfigOf(
  given: SourceRevisionConfigRequest,
  before: SourceRevisionConfig = {},
): SourceRevisionConfig {
  const {
    repo_commit_sha: _commit,
    uncommitted_changes: _changes,
    langgraph_config_path: _publicPath,
    image_digest: _digest,
    ...kept
  } = before;
  const { langgraph_config_path: publicPath, ...own } = given;
  const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value != null));
  return {
    ...kept,
    ...set,
    ...(publicPath && !own.platform_config_path ? { platform_config_path: publicPath } : {}),
  };
}

function checkImmutable(before: SourceConfig, changes: SourceConfig): void {
  for (const [field, outcome] of Object.entries(OUTCOMES)) {
    const wanted = changes[field];
    if (outcome !== 'refusal' || wanted === undefined || wanted === before[field]) continue;
    throw badRequest(`source_config.${field} cannot be changed. Create another deployment instead.`);
  }
}

function folderCannotChange(): HttpError {
  return badRequest(
    'This deployment serves an open folder and follows its files. To deploy the folder, create a deployment with the source "workspace".',
  );
}

export function notUploaded(): HttpError {
  return badRequest(
    'Nothing was uploaded to source_tarball_path for this deployment. Request an upload-url and PUT the tarball there first.',
  );
}
