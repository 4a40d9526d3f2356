import { archive } from '../contract/agent-server/archive.ts';
import { assistants } from '../contract/agent-server/assistants.ts';
import { crons } from '../contract/agent-server/crons.ts';
import { recordings } from '../contract/agent-server/exchanges.ts';
import { nodes } from '../contract/agent-server/nodes.ts';
import { runs } from '../contract/agent-server/runs.ts';
import { store } from '../contract/agent-server/store.ts';
import { system } from '../contract/agent-server/system.ts';
import { threadStream, threads } from '../contract/agent-server/threads.ts';
import { bind, type Calls, type OpenStream } from './calls.ts';
import { addressBelow } from './connection.ts';
import { EventStream } from './event-stream.ts';
import { type Rejoining, RunStream } from './run-stream.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The agent server of one deployment. */
export interface AgentServer {
  readonly assistants: Calls<typeof assistants>;
  readonly threads: Calls<typeof threads>;
  readonly runs: Calls<typeof runs, RunStream>;
  /** All runs of a thread as one stream. */
  readonly threadStream: Calls<typeof threadStream, RunStream>;
  /** Threads as they are stored, to export and import them; Agent Harbor only. */
  readonly archive: Calls<typeof archive>;
  /** Requests from runs to models and tools, with the answers; Agent Harbor only. */
  readonly recordings: Calls<typeof recordings>;
  /** Runs of single nodes; Agent Harbor only. */
  readonly nodes: Calls<typeof nodes>;
  readonly store: Calls<typeof store>;
  readonly crons: Calls<typeof crons>;
  readonly system: Calls<typeof system>;
}

/** @param deploymentUrl called for every request; may throw when no deployment is chosen. */
export function agentServer(transport: Transport, deploymentUrl: () => string): AgentServer {
  const address = (path: string) => addressBelow(deploymentUrl(), path);
  const plain = { transport, address, stream: (first: EventStream) => first };

  const rejoining: Rejoining = {
    rejoin(location, lastEventId, options) {
      const url = rejoinAddress(deploymentUrl(), location);
      const outgoing = {
        method: 'GET' as const,
        url,
        path: url.pathname,
        accept: 'text/event-stream',
        // -1 requests all events.
        options: { ...options, headers: { ...options.headers, 'last-event-id': lastEventId ?? '-1' } },
      };
      return transport.send(outgoing, async (answer) => new EventStream(answer, outgoing));
    },
    async isUnfinished({ threadId, runId }, options) {
      const run = await runCalls.get({ params: { thread_id: threadId, run_id: runId } }, options);
      return run.status === 'pending' || run.status === 'running';
    },
  };
  const stream: OpenStream<RunStream> = (first, _answer, options: CallOptions) =>
    new RunStream(first, rejoining, options);

  const runCalls = bind(runs, {
    transport,
    address,
    stream,
    noTimeout: ['wait', 'join', 'waitStateless', 'cancel', 'cancelMany'],
  });
  return {
    assistants: bind(assistants, plain),
    threads: bind(threads, plain),
    runs: runCalls,
    threadStream: bind(threadStream, { transport, address, stream }),
    archive: bind(archive, plain),
    recordings: bind(recordings, plain),
    nodes: bind(nodes, plain),
    store: bind(store, plain),
    crons: bind(crons, plain),
    system: bind(system, plain),
  };
}

/**
 * The URL for an address in a `Location` header. An absolute path is taken to be below the deployment's
 * address, as in the public clients. Another origin is never followed, because it would get the credentials.
 */
function rejoinAddress(deploymentUrl: string, location: string): URL {
  const base = addressBelow(deploymentUrl, '/');
  const url = new URL(location, base);
  if (url.origin !== base.origin) return addressBelow(deploymentUrl, url.pathname + url.search);
  if (url.pathname.startsWith(base.pathname)) return url;
  return addressBelow(deploymentUrl, url.pathname + url.search);
}
