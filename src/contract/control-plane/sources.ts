import { z } from 'zod';
import { JsonObject, Uuid } from '../fields.ts';

/**
 * The kinds of source that a deployment's code may come from (docs/interface/control-plane.md#sources). `workspace` is
 * an addition of Agent Harbor: a folder on this machine, copied as it is on disk.
 */
export const DeploymentSource = z.enum([
  'github',
  'external_docker',
  'internal_docker',
  'internal_source',
  'workspace',
]);
export type DeploymentSource = z.output<typeof DeploymentSource>;

/** Public descriptions and public clients disagree on the list; every value that any of them sends is accepted. */
export const DeploymentType = z.enum(['dev_free', 'dev', 'prod', 'serverless', 'dedicated', 'dev_zero']);

const Cores = z.number().min(0.1).max(8).nullish();
const CoreLimit = z.number().min(0.1).max(16).nullish();
const Count = z.int().min(0).nullish();

/**
 * The resources of a deployment. Containers of images and of isolated deployments are held to `cpu_limit` and
 * `memory_limit_mb`, or else to `cpu` and `memory_mb`. For other deployments, and for all other fields, the values are
 * stored and returned, but not enforced.
 */
export const ResourceSpec = z.looseObject({
  min_scale: Count,
  max_scale: Count,
  cpu: Cores,
  cpu_limit: CoreLimit,
  memory_mb: Count,
  memory_limit_mb: Count,
  queue_min_scale: Count,
  queue_max_scale: Count,
  queue_cpu: Cores,
  queue_cpu_limit: CoreLimit,
  queue_memory_mb: Count,
  queue_memory_limit_mb: Count,
  redis_cpu: Cores,
  redis_cpu_limit: CoreLimit,
  redis_memory_mb: Count,
  redis_memory_limit_mb: Count,
});

/** How the graphs of a deployment are isolated from the server's machine. */
export const Isolation = z.enum(['process', 'container']);
export type Isolation = z.output<typeof Isolation>;

/** A week, in minutes. */
const MAX_DRAIN_MINUTES = 7 * 24 * 60;

/** A deployment's source and resources, as clients send them: everything may be left out or null. */
export const SourceConfigRequest = z.object({
  integration_id: Uuid.nullish(),
  /** An address with https, ssh or file. */
  repo_url: z.string().min(1).nullish(),
  deployment_type: DeploymentType.nullish(),
  build_on_push: z.boolean().nullish(),
  custom_url: z.string().nullish(),
  resource_spec: ResourceSpec.nullish(),
  listener_id: Uuid.nullish(),
  listener_config: z.looseObject({ k8s_namespace: z.string().nullish() }).nullish(),
  install_command: z.string().min(1).nullish(),
  build_command: z.string().min(1).nullish(),
  /** Agent Harbor only: whether graphs run in a process on the server's machine, or in a container. */
  isolation: Isolation.nullish(),
  /** Agent Harbor only: whether runs are recorded if their requests do not specify it. */
  record: z.boolean().nullish(),
  /**
   * Agent Harbor only: for how many minutes runs may continue on the revision on which they began, once a newer one is
   * live; 0 means not at all.
   */
  drain_minutes: z.int().min(0).max(MAX_DRAIN_MINUTES).nullish(),
  /** Agent Harbor only: the absolute path of the folder to deploy, for the source `workspace`. */
  workspace_dir: z.string().min(1).nullish(),
});
export type SourceConfigRequest = z.output<typeof SourceConfigRequest>;

/**
 * A revision's source. Public clients send `platform_config_path` under its other name, `langgraph_config_path`
 * (docs/interface/control-plane.md#sources).
 */
export const SourceRevisionConfigRequest = z.object({
  /** A branch, `refs/heads/…`, `refs/tags/…`, or a commit; the repository's default branch when absent. */
  repo_ref: z.string().min(1).nullish(),
  platform_config_path: z.string().min(1).nullish(),
  langgraph_config_path: z.string().min(1).nullish(),
  image_uri: z.string().nullish(),
  source_tarball_path: z.string().min(1).nullish(),
});
export type SourceRevisionConfigRequest = z.output<typeof SourceRevisionConfigRequest>;

/** A deployment's source and resources, as they are returned. Its running agent server is at `custom_url`. */
export const SourceConfig = z.looseObject({
  integration_id: z.string().nullish(),
  repo_url: z.string().nullish(),
  deployment_type: z.string().nullish(),
  build_on_push: z.boolean().nullish(),
  custom_url: z.string().nullish(),
  resource_spec: JsonObject.nullish(),
  listener_id: z.string().nullish(),
  listener_config: JsonObject.nullish(),
  install_command: z.string().nullish(),
  build_command: z.string().nullish(),
  isolation: z.string().nullish(),
  record: z.boolean().nullish(),
  drain_minutes: z.int().nullish(),
  workspace_dir: z.string().nullish(),
});
export type SourceConfig = z.output<typeof SourceConfig>;

export const SourceRevisionConfig = z.looseObject({
  repo_ref: z.string().nullish(),
  platform_config_path: z.string().nullish(),
  langgraph_config_path: z.string().nullish(),
  image_uri: z.string().nullish(),
  source_tarball_path: z.string().nullish(),
  /** The commit that a revision was built from. */
  repo_commit_sha: z.string().nullish(),
  /** Agent Harbor only: how many files in the folder differed from that commit. */
  uncommitted_changes: z.int().nullish(),
  /** Agent Harbor only: the digest that the image's tag pointed to, `sha256:…`. */
  image_digest: z.string().nullish(),
});
export type SourceRevisionConfig = z.output<typeof SourceRevisionConfig>;

/** An environment variable of the deployment; its value is never returned. */
export const Secret = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Must be the name of an environment variable.'),
  value: z.string(),
});
export type Secret = z.output<typeof Secret>;

export const SecretReference = z.object({
  name: z.string().min(1),
  secret_name: z.string(),
  secret_key: z.string(),
});
