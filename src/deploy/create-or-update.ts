import { basename, dirname, join } from 'node:path';
import type { Dispatcher } from 'undici';
import type { Client } from '../client/client.ts';
import type { Deployment, deployments } from '../contract/control-plane/deployments.ts';
import { DeploymentType, type Isolation, type Secret } from '../contract/control-plane/sources.ts';
import type { BodyInput } from '../contract/endpoint.ts';
import { requireGit } from '../project/source-files.ts';
import { findBuiltDeployment } from './find-deployment.ts';
import { uploadSource } from './upload-source.ts';
import {
  kindOf,
  requireSameSource,
  revisionConfigOf,
  type SourcePlace,
  sourceConfigOf,
  type WantedSource,
} from './wanted-source.ts';

type Create = BodyInput<typeof deployments.create>;

/** A deployment as the user wants it. */
export interface WantedDeployment {
  readonly name: string;
  readonly source: WantedSource;
  /** One of `DeploymentType` for a new deployment; by default `dev`. An existing deployment keeps its type. */
  readonly type: string | undefined;
  /** Whether a push to its repository deploys a new revision; undefined leaves it unchanged. */
  readonly buildOnPush: boolean | undefined;
  /** How its graphs and builds are isolated from the server's machine; undefined leaves it unchanged. */
  readonly isolation?: Isolation | undefined;
  /** Whether its runs are recorded unless their requests say otherwise; undefined leaves it unchanged. */
  readonly record?: boolean | undefined;
  /**
   * For how many minutes runs may continue on the revision on which they began; undefined leaves it
   * unchanged.
   */
  readonly drainMinutes?: number | undefined;
  /** The limits of its containers; absent limits stay unchanged. */
  readonly limits?: Limits | undefined;
  /** All secrets that the deployment shall have; undefined leaves them unchanged. */
  readonly secrets: readonly Secret[] | undefined;
}

/** Limits as `resource_spec` has them. 0 MB means no limit. */
export interface Limits {
  readonly cpu_limit?: number;
  readonly memory_limit_mb?: number;
}

/** The default name of a deployment, made from the name of the folder that contains its `langgraph.json`. */
export function defaultName({ top, configPath }: SourcePlace): string {
  const name = basename(dirname(join(top, configPath)))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return name.replaceAll(/^-+|-+$/g, '') || 'agent';
}

/**
 * The default name of a deployment from an image: the last part of the image's name, without tag or digest.
 */
export function defaultNameOfImage(image: string): string {
  return (
    image
      .replace(/@.*$/, '')
      .replace(/:[^/:]*$/, '')
      .replace(/^.*\//, '') || 'agent'
  );
}

/**
 * Creates the deployment, or a new revision if the deployment exists.
 * @throws RequestError; Error when the type is unknown, when the existing deployment has another source, or when git,
 *   which lists a folder's files, is missing.
 */
export async function createOrUpdate(
  client: Client,
  dispatcher: Dispatcher,
  wanted: WantedDeployment,
  signal: AbortSignal,
): Promise<{ deployment: Deployment; created: boolean }> {
  const { source } = wanted;
  const existing = await findBuiltDeployment(client, wanted.name, signal);
  // The server fetches the repository of such a deployment; the folder only provides the path of
  // langgraph.json in it.
  const isFetched = existing?.source === 'github';
  if (source.kind === 'folder' && !isFetched) await requireGit(source.place.top);
  if (existing === undefined) {
    const made = await client.deployments.create({ body: createBody(wanted) }, { signal });
    return { deployment: await upload(made, undefined), created: true };
  }
  requireSameSource(existing, source);
  if (existing.source === 'internal_source') {
    return { deployment: await upload(existing, wanted.secrets), created: false };
  }
  const deployment = await client.deployments.update(
    {
      params: { deployment_id: existing.id },
      body: {
        source_config: changedConfig(wanted, existing),
        source_revision_config: changedRevisionConfig(source),
        secrets: wanted.secrets === undefined ? null : [...wanted.secrets],
      },
    },
    { signal },
  );
  return { deployment, created: false };

  /**
   * Uploads the folder and deploys it as a new revision. A source that is not uploaded is deployed already.
   * @returns the deployment with its new revision
   */
  async function upload(to: Deployment, secrets: readonly Secret[] | undefined): Promise<Deployment> {
    if (source.kind !== 'folder' || source.isLocal) return to;
    const { top, configPath } = source.place;
    const source_tarball_path = await uploadSource(client, dispatcher, to.id, top, signal);
    return client.deployments.update(
      {
        params: { deployment_id: to.id },
        body: {
          revision_source: 'internal_source',
          source_revision_config: { source_tarball_path, langgraph_config_path: configPath },
          // An uploaded source has no branch to which anything is pushed.
          source_config: changedConfig({ ...wanted, buildOnPush: undefined }, to),
          ...(secrets === undefined ? {} : { secrets: [...secrets] }),
        },
      },
      { signal },
    );
  }
}

/** The changes to an existing deployment's configuration; null when there are none. */
function changedConfig(
  wanted: WantedSettings,
  existing: Deployment,
): ReturnType<typeof settingsConfig> | null {
  const config = settingsConfig(wanted, existing.source_config.resource_spec ?? {});
  return Object.keys(config).length === 0 ? null : config;
}

/** The settings of a deployment that can change. */
type WantedSettings = Pick<
  WantedDeployment,
  'buildOnPush' | 'isolation' | 'record' | 'drainMinutes' | 'limits'
>;

/**
 * The part of `source_config` for the given settings.
 * @param spec the existing `resource_spec`: an update replaces all of it.
 */
function settingsConfig(
  { buildOnPush, isolation, record, drainMinutes, limits = {} }: WantedSettings,
  spec: object = {},
) {
  return {
    ...(buildOnPush === undefined ? {} : { build_on_push: buildOnPush }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(record === undefined ? {} : { record }),
    ...(drainMinutes === undefined ? {} : { drain_minutes: drainMinutes }),
    ...(Object.keys(limits).length === 0 ? {} : { resource_spec: { ...spec, ...limits } }),
  };
}

/** The fields of `source_revision_config` that a new revision of an existing deployment changes. */
function changedRevisionConfig(source: WantedSource): ReturnType<typeof revisionConfigOf> {
  if (source.kind === 'image') return revisionConfigOf(source);
  const ref = source.kind === 'repository' ? source.ref : undefined;
  return {
    ...(ref === undefined ? {} : { repo_ref: ref }),
    langgraph_config_path: source.place.configPath,
  };
}

function createBody(wanted: WantedDeployment): Create {
  const { name, source, type, secrets } = wanted;
  return {
    name,
    source: kindOf(source),
    source_config: {
      deployment_type: typeOf(type),
      ...sourceConfigOf(source),
      ...settingsConfig(wanted),
    },
    source_revision_config: revisionConfigOf(source),
    secrets: [...(secrets ?? [])],
  };
}

function typeOf(wanted = 'dev'): (typeof DeploymentType.options)[number] {
  const type = DeploymentType.options.find((candidate) => candidate === wanted);
  if (type !== undefined) return type;
  throw new Error(`'${wanted}' is not a deployment type. Use ${DeploymentType.options.join(', ')}.`);
}
