import { DEFAULT_WEBHOOK_PREFIX } from '../../../project/webhook-variables.ts';
import type { CorsSettings } from '../../http/origin-policy.ts';
import { loopbackOnly } from '../../http/origin-policy.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { ProjectConfig } from '../../runtimes/project/project-config.ts';
import type { StoreIndex, StoreSettings } from '../data/items/item-store.ts';
import type { TimeToLive } from '../data/thread-store.ts';
import type { SweepSettings } from '../threads/sweeper.ts';
import type { WebhookSettings } from '../webhooks/webhook-outbox.ts';

// Reads the settings of an agent server from langgraph.json (docs/langgraph-json.md), with their defaults.

const SWEEP_MINUTES = 5;
/** The maximum number of threads per sweep, unless the project sets `sweep_limit`. */
const MAX_SWEPT_THREADS = 10_000;

/** `http.cors`; by default, only pages on this machine. */
export function corsSettings(config: ProjectConfig | undefined): CorsSettings {
  const cors = config?.http?.cors;
  if (cors === undefined) return loopbackOnly;
  return {
    allowOrigins: cors.allow_origins ?? [],
    ...(cors.allow_origin_regex === undefined
      ? {}
      : { allowOriginRegex: new RegExp(`^(?:${cors.allow_origin_regex})$`) }),
    ...(cors.allow_methods === undefined ? {} : { allowMethods: cors.allow_methods }),
    ...(cors.allow_headers === undefined ? {} : { allowHeaders: cors.allow_headers }),
    allowCredentials: cors.allow_credentials ?? false,
    exposeHeaders: cors.expose_headers ?? [],
    maxAgeSeconds: cors.max_age ?? loopbackOnly.maxAgeSeconds,
  };
}

/** `checkpointer.ttl`; undefined if threads do not expire by default. */
export function threadTtl(config: ProjectConfig | undefined): TimeToLive | undefined {
  const ttl = config?.checkpointer?.ttl;
  return ttl?.default_ttl == null ? undefined : { strategy: ttl.strategy, minutes: ttl.default_ttl };
}

/**
 * How often expired threads and items are deleted, and how many threads at a time (`checkpointer.ttl`,
 * `store.ttl`).
 */
export function sweepSettings(config: ProjectConfig | undefined): SweepSettings {
  return {
    threadsEveryMinutes: config?.checkpointer?.ttl?.sweep_interval_minutes ?? SWEEP_MINUTES,
    maxThreads: config?.checkpointer?.ttl?.sweep_limit ?? MAX_SWEPT_THREADS,
    itemsEveryMinutes: config?.store?.ttl?.sweep_interval_minutes ?? SWEEP_MINUTES,
  };
}

/**
 * The settings in `store`.
 * @param embed turns texts into vectors, with the function or model that `store.index.embed` names.
 */
export function storeSettings(config: ProjectConfig | undefined, embed: StoreIndex['embed']): StoreSettings {
  const { index, ttl } = config?.store ?? {};
  return {
    index: index == null ? undefined : { dimensions: index.dims, fields: index.fields ?? ['$'], embed },
    defaultTtl: ttl?.default_ttl ?? undefined,
    refreshOnRead: ttl?.refresh_on_read ?? true,
  };
}

/** `webhooks`, with the environment of the graphs for variables in headers. */
export function webhookSettings({
  project,
  variables,
}: Pick<DeploymentRuntime, 'project' | 'variables'>): WebhookSettings {
  return {
    config: project?.config.webhooks ?? { env_prefix: DEFAULT_WEBHOOK_PREFIX, headers: {}, url: {} },
    disabled: project?.config.http?.disable_webhooks ?? false,
    env: variables,
  };
}
