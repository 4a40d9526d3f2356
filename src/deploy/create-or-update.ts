import { basename, dirname, join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Client } from '../client/client.ts';
import type { Deployment, deployments } from '../contract/control-plane/deployments.ts';
import type { Secret } from '../contract/control-plane/sources.ts';
import type { BodyInput } from '../contract/endpoint.ts';
import type { GitState } from '../project/git-state.ts';
import { findByName } from './find-deployment.ts';
import { uploadSource } from './upload-source.ts';

type Create = BodyInput<typeof deployments.create>;

/** The top of the source, and the path of its `langgraph.json` below it. */
export type SourcePlace = Pick<GitState, 'top' | 'configPath'>;

export interface Wanted {
  readonly name: string;
  readonly state: SourcePlace;
  /** The server can read this folder itself. */
  readonly local: boolean;
  /** A git repository to deploy instead of this folder, at a branch, tag or commit. */
  readonly repository:
    | {
        readonly url: string;
        readonly ref: string | undefined;
        /** The credentials for reading a private repository. */
        readonly integrationId?: string | undefined;
      }
    | undefined;
  readonly type: string | undefined;
  readonly buildOnPush: boolean | undefined;
  readonly secrets: readonly Secret[] | undefined;
}

/** The default name of a deployment: the folder of its `langgraph.json`. */
export function defaultName({ top, configPath }: SourcePlace): string {
  const name = basename(dirname(join(top, configPath)))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return name.replaceAll(/^-+|-+$/g, '') || 'agent';
}

/**
 * Creates the deployment, or a new revision if it exists.
 * @throws Error when the existing deployment has another source.
 */
export async function createOrUpdate(
  client: Client,
  dispatcher: Dispatcher,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<{ deployment: Deployment; created: boolean }> {
  const existing = await findByName(client, wanted.name, signal);
  const config_path = wanted.state.configPath;
  if (existing === undefined) {
    const source = sourceOf(wanted);
    const made = await client.deployments.create({ body: createBody(wanted, source) }, { signal });
    if (source !== 'internal_source') return { deployment: made, created: true };
    return { deployment: await upload(made.id, undefined), created: true };
  }
  checkSame(existing, wanted);
  if (existing.source === 'internal_source') {
    return { deployment: await upload(existing.id, wanted.secrets), created: false };
  }
  const ref = wanted.repository?.ref;
  const deployment = await client.deployments.update(
    {
      params: { deployment_id: existing.id },
      body: {
        source_config: wanted.buildOnPush === undefined ? null : { build_on_push: wanted.buildOnPush },
        source_revision_config: {
          ...(ref === undefined ? {} : { repo_ref: ref }),
          platform_config_path: config_path,
        },
        secrets: wanted.secrets === undefined ? null : [...wanted.secrets],
      },
    },
    { signal },
  );
  return { deployment, created: false };

  async function upload(id: string, secrets: readonly Secret[] | undefined): Promise<Deployment> {
    const source_tarball_path = await uploadSource(client, dispatcher, id, wanted.state.top, signal);
    return client.deployments.update(
      {
        params: { deployment_id: id },
        body: {
          revision_source: 'internal_source',
          // Public servers use the public name of this field.
          source_revision_config: { source_tarball_path, langgraph_config_path: config_path },
          ...(secrets === undefined ? {} : { secrets: [...secrets] }),
        },
      },
      { signal },
    );
  }
}

function sourceOf({ repository, local }: Wanted): Create['source'] {
  if (repository !== undefined) return 'github';
  return local ? 'workspace' : 'internal_source';
}

function createBody(wanted: Wanted, source: Create['source']): Create {
  const { repository, state } = wanted;
  const path =
    source === 'workspace'
      ? { platform_config_path: state.configPath }
      : { langgraph_config_path: state.configPath };
  return {
    name: wanted.name,
    source,
    source_config: {
      deployment_type: typeOf(wanted.type),
      ...(source === 'workspace' ? { workspace_dir: state.top } : {}),
      ...(repository === undefined ? {} : { repo_url: repository.url }),
      ...(repository?.integrationId === undefined ? {} : { integration_id: repository.integrationId }),
      ...(wanted.buildOnPush === undefined ? {} : { build_on_push: wanted.buildOnPush }),
    },
    source_revision_config: {
      // Before the upload there is no source to which the config path could refer.
      ...(source === 'internal_source' ? {} : path),
      ...(repository?.ref === undefined ? {} : { repo_ref: repository.ref }),
    },
    secrets: [...(wanted.secrets ?? [])],
  };
}

type DeploymentTypeName = NonNullable<NonNullable<Create['source_config']>['deployment_type']>;
const TYPES: readonly DeploymentTypeName[] = [
  'dev_free',
  'dev',
  'prod',
  'serverless',
  'dedicated',
  'dev_zero',
];

function typeOf(wanted: string | undefined): DeploymentTypeName {
  if (wanted === undefined) return 'dev';
  const type = TYPES.find((candidate) => candidate === wanted);
  if (type === undefined) throw new Error(`'${wanted}' is not a deployment type. Use ${TYPES.join(', ')}.`);
  return type;
}

function checkSame(existing: Deployment, wanted: Wanted): void {
  const { repo_url, workspace_dir } = existing.source_config;
  const from = repo_url ?? (typeof workspace_dir === 'string' ? workspace_dir : 'uploaded sources');
  const same =
    existing.source === 'github'
      ? wanted.repository === undefined || wanted.repository.url === repo_url
      : existing.source === sourceOf(wanted) &&
        (existing.source !== 'workspace' || workspace_dir === wanted.state.top);
  if (same) return;
  throw new Error(
    `Deployment '${existing.name}' already exists and is deployed from ${from}. Choose another name, or delete it first.`,
  );
}
