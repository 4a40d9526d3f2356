import type { ProjectConfig } from './project-config.ts';

/** `true` means that everything below the key is supported. */
type Known = true | { readonly [key: string]: Known };

/**
 * The keys of langgraph.json that have an effect on a local server (docs/langgraph-json.md). The others concern images,
 * installation and parts of the public platform.
 */
const USED: Known = {
  $schema: true,
  dependencies: true,
  graphs: true,
  env: true,
  node_version: true,
  python_version: true,
  http: {
    app: true,
    disable_assistants: true,
    disable_threads: true,
    disable_runs: true,
    disable_store: true,
    disable_meta: true,
    disable_ui: true,
    disable_mcp: true,
    disable_a2a: true,
    disable_webhooks: true,
    mcp: {
      tasks: {
        poll_interval_ms: true,
        ttl_minutes: true,
        completed_grace_seconds: true,
        allow_insecure_urls: true,
      },
    },
    cors: true,
    configurable_headers: true,
    logging_headers: true,
    enable_custom_route_auth: true,
    middleware_order: true,
    mount_prefix: true,
  },
  store: { index: true, ttl: true },
  checkpointer: { ttl: true },
  webhooks: true,
  ui: true,
  ui_config: true,
  auth: { path: true, disable_studio_auth: true },
  max_cost_per_day: true,
};

/** Keys of a project that a local server ignores, as paths: `checkpointer.serde`. */
export function unusedKeys(config: ProjectConfig): string[] {
  return unusedIn(config, USED, '');
}

function unusedIn(value: unknown, known: Known | undefined, path: string): string[] {
  if (known === true) return [];
  if (known === undefined) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    unusedIn(inner, known[key], path === '' ? key : `${path}.${key}`),
  );
}
