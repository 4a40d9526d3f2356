import { z } from 'zod';
import { LifetimeMinutes } from '../../../contract/fields.ts';
import { DEFAULT_WEBHOOK_PREFIX } from '../../../project/webhook-variables.ts';

const GraphPath = z
  .string()
  .regex(
    /^.+:[^:/\\]+$/,
    'Must be a file and an export, such as ./src/agent.ts:graph or ./src/agent.py:graph.',
  );
const GraphEntry = z.union([
  GraphPath,
  z.looseObject({ path: GraphPath, description: z.string().optional() }),
]);

const CorsConfig = z.looseObject({
  allow_origins: z.array(z.string()).optional(),
  allow_methods: z.array(z.string()).optional(),
  allow_headers: z.array(z.string()).optional(),
  allow_origin_regex: z.string().refine(isRegex, 'Must be a regular expression.').optional(),
  allow_credentials: z.boolean().optional(),
  expose_headers: z.array(z.string()).optional(),
  max_age: z.number().optional(),
});

/** Public servers also accept the singular names `include` and `exclude`. */
const HeaderSelection = z
  .looseObject({
    includes: z.array(z.string()).nullish(),
    excludes: z.array(z.string()).nullish(),
    include: z.array(z.string()).nullish(),
    exclude: z.array(z.string()).nullish(),
  })
  .transform(({ include, exclude, includes, excludes }) => ({
    includes: includes ?? include,
    excludes: excludes ?? exclude,
  }));

/** Settings for calls of MCP tools that clients follow as tasks. */
export const McpTasksConfig = z.looseObject({
  poll_interval_ms: z.int().min(100).max(60_000).default(1000),
  ttl_minutes: z.number().min(1).max(10_080).default(1440),
  completed_grace_seconds: z.number().min(1).max(86_400).default(300),
  allow_insecure_urls: z.boolean().default(false),
});
export type McpTasksConfig = z.output<typeof McpTasksConfig>;

const HttpConfig = z.looseObject({
  app: GraphPath.nullish(),
  disable_assistants: z.boolean().optional(),
  disable_threads: z.boolean().optional(),
  disable_runs: z.boolean().optional(),
  disable_store: z.boolean().optional(),
  disable_meta: z.boolean().optional(),
  disable_ui: z.boolean().optional(),
  disable_mcp: z.boolean().optional(),
  disable_a2a: z.boolean().optional(),
  mcp: z.looseObject({ tasks: McpTasksConfig.optional() }).nullish(),
  disable_webhooks: z.boolean().optional(),
  cors: CorsConfig.optional(),
  configurable_headers: HeaderSelection.nullish(),
  logging_headers: HeaderSelection.nullish(),
  enable_custom_route_auth: z.boolean().optional(),
  middleware_order: z.enum(['auth_first', 'middleware_first']).optional(),
  mount_prefix: z
    .string()
    .regex(/^\/[^?#:*{}]*$/, 'Must be a path such as /agent.')
    .nullish(),
});
export type HttpConfig = z.output<typeof HttpConfig>;

const StoreConfig = z.looseObject({
  index: z
    .looseObject({
      dims: z.int().positive(),
      embed: z.string().min(1),
      fields: z.array(z.string()).optional(),
    })
    .nullish(),
  ttl: z
    .looseObject({
      refresh_on_read: z.boolean().optional(),
      default_ttl: LifetimeMinutes.nullish(),
      sweep_interval_minutes: LifetimeMinutes.nullish(),
    })
    .nullish(),
});

const CheckpointerConfig = z.looseObject({
  ttl: z
    .looseObject({
      strategy: z.enum(['delete', 'keep_latest']).default('delete'),
      default_ttl: LifetimeMinutes.nullish(),
      sweep_interval_minutes: LifetimeMinutes.nullish(),
      sweep_limit: z.int().positive().nullish(),
    })
    .nullish(),
});

const WebhooksConfig = z.looseObject({
  env_prefix: z.string().default(DEFAULT_WEBHOOK_PREFIX),
  headers: z.record(z.string(), z.string()).default({}),
  url: z
    .looseObject({
      require_https: z.boolean().optional(),
      allowed_domains: z.array(z.string()).nullish(),
      allowed_ports: z.array(z.int()).nullish(),
      max_url_length: z.int().positive().nullish(),
      disable_loopback: z.boolean().optional(),
    })
    .default({}),
});
export type WebhooksConfig = z.output<typeof WebhooksConfig>;

const AuthConfig = z.looseObject({ path: GraphPath.optional(), disable_studio_auth: z.boolean().optional() });

/** The keys of langgraph.json that a local server uses (docs/langgraph-json.md); others are accepted and ignored. */
export const ProjectConfig = z.looseObject({
  ui: z.record(z.string().min(1), z.string().min(1)).optional(),
  ui_config: z.looseObject({ shared: z.array(z.string()).optional() }).optional(),
  graphs: z
    .record(z.string().min(1), GraphEntry)
    .refine((graphs) => Object.keys(graphs).length > 0, 'Must have at least one graph.'),
  env: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  node_version: z.union([z.string(), z.number()]).optional(),
  python_version: z.union([z.string(), z.number()]).optional(),
  api_version: z.string().optional(),
  dependencies: z.array(z.string()).optional(),
  http: HttpConfig.optional(),
  store: StoreConfig.optional(),
  checkpointer: CheckpointerConfig.optional(),
  webhooks: WebhooksConfig.optional(),
  auth: AuthConfig.optional(),
  /** Agent Harbor only: how many dollars the model calls of all runs may cost per day (UTC). */
  max_cost_per_day: z.number().positive().nullish(),
});
export type ProjectConfig = z.output<typeof ProjectConfig>;

/** `python_version` as text, such as 3.12; undefined if it is not set. */
export function pythonVersionIn({ python_version: version }: ProjectConfig): string | undefined {
  return version === undefined ? undefined : String(version);
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
