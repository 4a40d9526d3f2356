import { a2a as a2aEndpoints, mcp as mcpEndpoints } from '../../../contract/agent-server/agents.ts';
import { archive as archiveEndpoints } from '../../../contract/agent-server/archive.ts';
import { assistants as assistantEndpoints } from '../../../contract/agent-server/assistants.ts';
import { crons as cronEndpoints } from '../../../contract/agent-server/crons.ts';
import { recordings as recordingEndpoints } from '../../../contract/agent-server/exchanges.ts';
import { nodes as nodeEndpoints } from '../../../contract/agent-server/nodes.ts';
import { protocol as protocolEndpoints } from '../../../contract/agent-server/protocol.ts';
import { runs as runEndpoints } from '../../../contract/agent-server/runs.ts';
import { store as storeEndpoints } from '../../../contract/agent-server/store.ts';
import { system as systemEndpoints } from '../../../contract/agent-server/system.ts';
import {
  threads as threadEndpoints,
  threadStream as threadStreamEndpoints,
} from '../../../contract/agent-server/threads.ts';
import { ui as uiEndpoints } from '../../../contract/agent-server/ui.ts';
import { Router } from '../../http/router.ts';
import type { HostOptions } from '../agent-server-options.ts';
import type { AgentServerParts } from '../assembly/make-parts.ts';
import { Graphs } from '../assistants/graphs.ts';
import { NodeRuns } from '../requests/node-runs.ts';
import { UiBundles } from '../ui/ui-bundles.ts';
import { A2a } from './agents/a2a.ts';
import { a2aHandlers } from './agents/a2a-handlers.ts';
import { makeMcp } from './agents/make-mcp.ts';
import { mcpHandlers } from './agents/mcp-handlers.ts';
import { archiveHandlers } from './archive-handlers.ts';
import { assistantHandlers } from './assistant-handlers.ts';
import { cronHandlers } from './cron-handlers.ts';
import { nodeHandlers } from './node-handlers.ts';
import { ProtocolCommands } from './protocol/protocol-commands.ts';
import { protocolHandlers } from './protocol/protocol-handlers.ts';
import { recordingHandlers } from './recording-handlers.ts';
import { runHandlers } from './run-handlers.ts';
import { RunResponses } from './run-responses.ts';
import { storeHandlers } from './store-handlers.ts';
import { systemHandlers } from './system-handlers.ts';
import { threadHandlers } from './thread-handlers.ts';
import { threadStreamHandlers } from './thread-stream-handlers.ts';
import { uiHandlers } from './ui-handlers.ts';

/**
 * Mounts the API of a deployment.
 * @param publicUrl the URL for clients, if it is not the address that the server listens on.
 */
export function routesOf(
  { version, logger, metrics: serverMetrics }: HostOptions,
  publicUrl: string | undefined,
  parts: AgentServerParts,
): Router {
  const { address, runtime, stores, assistants, auth, usable, admission } = parts;
  const { requests, runs, scheduler, authorOf, threads, states, searches } = parts;
  const { db, items, threads: threadStore, checkpoints, runs: runStore } = stores;
  const graphs = new Graphs(runtime);
  const source = { db, runs };
  const commands = new ProtocolCommands({ source, requests, threads, states });
  const mcp = makeMcp({ ...parts, graphs, version });
  const a2a = new A2a({ db, requests, runs, runStore, threads: threadStore, auth });
  const answers = new RunResponses(runs, scheduler);
  const url = () => publicUrl ?? address.url ?? '';
  const router = new Router();
  return router
    .mount(assistantEndpoints, assistantHandlers(assistants, graphs, threads, auth))
    .mount(threadEndpoints, threadHandlers(threads, states, searches))
    .mount(archiveEndpoints, archiveHandlers({ db, store: threadStore, threads, states, runtime }))
    .mount(recordingEndpoints, recordingHandlers({ ...stores, replays: parts.replays, threads }))
    .mount(
      nodeEndpoints,
      nodeHandlers(new NodeRuns({ threads, checkpoints, runs: runStore, runtime }), threads, authorOf),
    )
    .mount(threadStreamEndpoints, threadStreamHandlers(source, threads))
    .mount(runEndpoints, runHandlers({ requests, runs, threads, answers, authorOf }))
    .mount(storeEndpoints, storeHandlers(items, parts.room))
    .mount(cronEndpoints, cronHandlers(parts.crons, authorOf))
    .mount(protocolEndpoints, protocolHandlers({ source, commands, authorOf, auth, logger }))
    .mount(mcpEndpoints, mcpHandlers(mcp, authorOf))
    .mount(a2aEndpoints, a2aHandlers(a2a, usable, authorOf, { version, url }))
    .mount(
      uiEndpoints,
      uiHandlers({
        bundles: new UiBundles(parts.runtime),
        publicUrl,
        project: () => admission.readProject(),
      }),
    )
    .mount(
      systemEndpoints,
      systemHandlers({ ...parts, db, version, router, serverMetrics, app: parts.customRoutes }),
    );
}
