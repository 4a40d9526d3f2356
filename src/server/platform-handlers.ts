import type { platform as platformEndpoints } from '../contract/platform.ts';
import type { AgentServers } from './agent-server/agent-servers.ts';
import { toPrometheus } from './agent-server/monitoring/metrics-text.ts';
import type { Availability } from './availability.ts';
import { docsPage } from './http/docs-page.ts';
import { openApiDocument } from './http/openapi.ts';
import type { Handlers, Router } from './http/router.ts';
import { statusPage } from './http/status-page.ts';
import type { Identity } from './identity/identity.ts';
import type { WorkspaceLimiter } from './identity/workspace-limits.ts';
import type { ServerMetrics } from './server-metrics.ts';
import { ifReachable } from './storage/if-reachable.ts';
import type { StateDatabase } from './storage/state-database.ts';
import type { Tracing } from './traces-thread/tracing.ts';

const TITLE = 'Agent Harbor: platform';

export interface PlatformParts {
  readonly availability: Availability;
  readonly db: StateDatabase;
  readonly identity: Identity;
  readonly agents: AgentServers;
  readonly metrics: Pick<ServerMetrics, 'read'>;
  readonly tracing: Pick<Tracing, 'checkReady' | 'replica'>;
  readonly limiter: Pick<WorkspaceLimiter, 'readGauges'>;
}

/** The endpoints about the platform itself: whether it is ready, metrics, API docs, and the status page. */
export function platformHandlers(
  router: Router,
  { availability, db, identity, agents, metrics, tracing, limiter }: PlatformParts,
): Handlers<typeof platformEndpoints> {
  return {
    ok: () => ({ ok: true }),
    ready: () => {
      availability.checkReady();
      db.checkReachable();
      tracing.checkReady();
      // Readiness does not depend on the replica, because everything is answered without it too.
      const { replica } = tracing;
      return { ready: true, ...(replica === undefined ? {} : { replica }) };
    },
    metrics: async ({ caller }, response) => {
      const measure = async () => {
        const workspaces = await ifReachable(db, () => identity.findReachable(caller));
        if (workspaces === undefined) return { agents: [], storage: [] };
        return { agents: await agents.measureAll(workspaces), storage: limiter.readGauges(workspaces) };
      };
      const [measured, server] = await Promise.all([measure(), metrics.read()]);
      response.end(toPrometheus(measured.agents, [...server, ...measured.storage]));
    },
    openapi: async (_, response) => {
      await availability.whenStarted();
      response.end(JSON.stringify(openApiDocument(TITLE, router.endpoints)));
    },
    docs: async (_, response) => {
      await availability.whenStarted();
      response.end(docsPage(TITLE, router.endpoints));
    },
    status: ({ params }, response) => {
      response.end(statusPage(params.deployment_id));
    },
  };
}
