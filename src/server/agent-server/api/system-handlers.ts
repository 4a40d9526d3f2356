import { sql } from 'kysely';
import type { system as systemEndpoints } from '../../../contract/agent-server/system.ts';
import { JsonObject } from '../../../contract/fields.ts';
import type { RuntimeState } from '../../../contract/harbor.ts';
import type { HttpAppDescription } from '../../../runtime/protocol/protocol.ts';
import { docsPage } from '../../http/docs-page.ts';
import { openApiDocument } from '../../http/openapi.ts';
import type { Handlers, Router } from '../../http/router.ts';
import type { Metric } from '../../metric-text.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { type Metrics, readProcessMetrics } from '../monitoring/metrics.ts';
import { toMetricsJson, toPrometheus } from '../monitoring/metrics-text.ts';
import type { Readiness } from '../monitoring/readiness.ts';

export interface SystemOptions {
  readonly router: Router;
  readonly runtime: DeploymentRuntime;
  readonly db: StateDatabase;
  readonly version: string;
  readonly metrics: Metrics;
  /** Metrics of the whole server. */
  readonly serverMetrics: { read(): Promise<Metric[]> };
  readonly readiness: Readiness;
  /** The project's own app, whose routes are described too. */
  readonly app: { readonly description: HttpAppDescription | undefined };
}

/**
 * Handlers for `/ok`, `/ready`, `/info`, `/metrics` (Prometheus or JSON) and the API's description, which
 * need no key.
 */
export function systemHandlers(options: SystemOptions): Handlers<typeof systemEndpoints> {
  const { router, runtime, db, version, metrics, serverMetrics, readiness, app } = options;
  const title = 'Agent Harbor: agent server';
  return {
    ok: async ({ query }) => {
      if (query.check_db === '1') await sql`select 1`.execute(db);
      return { ok: true };
    },
    ready: () => {
      readiness.check();
      return { ready: true };
    },
    info: () => {
      const { state } = runtime;
      return {
        version,
        ...languageInfo(state),
        flags: {
          assistants: true,
          crons: true,
          stream_namespaces: true,
          langsmith: true,
          langsmith_tracing_replicas: false,
        },
        metadata: { graphs: Object.keys(runtime.project?.graphs ?? {}) },
      };
    },
    metrics: async ({ query }, response) => {
      const numbers = await metrics.read();
      if (query.format === 'json') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(toMetricsJson(numbers, readProcessMetrics())));
      } else response.end(toPrometheus([{ numbers }], await serverMetrics.read()));
    },
    openapi: (_, response) => {
      const document = openApiDocument(title, router.endpoints);
      response.end(JSON.stringify(withApp(document, app.description)));
    },
    docs: (_, response) => {
      response.end(docsPage(title, router.endpoints));
    },
  };
}

type OpenApi = ReturnType<typeof openApiDocument>;

/**
 * Adds an app's routes to the description. They replace those of the server, because the app answers first.
 */
function withApp(document: OpenApi, app: HttpAppDescription | undefined): object {
  if (app === undefined) return document;
  const schemas = JsonObject.safeParse(app.components?.schemas).data ?? {};
  return {
    ...document,
    paths: { ...document.paths, ...app.paths },
    components: { ...document.components, schemas },
  };
}

/**
 * The LangGraph versions that run the graphs, by language; `context` means that all graphs are in
 * JavaScript.
 */
export function languageInfo(state: RuntimeState): Record<string, string> {
  if (state.state !== 'ready') return {};
  const versions = (state.runtimes ?? [state]).map(({ language, langgraph_version }) => [
    language === 'python' ? 'langgraph_py_version' : 'langgraph_js_version',
    langgraph_version,
  ]);
  return { ...Object.fromEntries(versions), ...(state.language === 'node' ? { context: 'js' } : {}) };
}
