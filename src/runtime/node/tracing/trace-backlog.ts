import { setTimeout as sleep } from 'node:timers/promises';
import { isTracedLocally } from '../langgraph/local-traces.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { isRecord } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';

/** The variables that turn tracing on, in the various versions of the SDK. */
const SWITCHES = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2'];

/** Makes the SDK send spans uncompressed. */
const UNCOMPRESSED = 'LANGSMITH_DISABLE_RUN_COMPRESSION';

/**
 * How many bytes of spans may wait to be sent before new runs are delayed. The SDK estimates the bytes; in
 * memory, spans take several times as much.
 */
const MANY_BYTES = 24 * 1_048_576;
/** The maximum number of waiting bytes, beyond which no spans are added. */
const MAX_BYTES = 64 * 1_048_576;
/** The maximum time that a run waits for the bytes of pending spans to fall to `MANY_BYTES`. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 20;
/** After a wait that freed nothing, runs start without waiting for this long. */
const GIVE_UP_MS = 30_000;
/** How often the log reports dropped spans. */
const LOG_INTERVAL_MS = 10_000;

/** The parts of a `langsmith` client that are used here. */
interface TracingClient {
  multipartStreamingDisabled?: boolean;
  readonly autoBatchQueue: { sizeBytes: number; push(item: unknown): Promise<unknown> };
  readonly batchIngestCaller?: { queueSizeBytes?: number };
}

/**
 * Limits the spans that wait to be sent. The `langsmith` SDK compresses and streams requests in many small
 * steps of the event loop, so under load it buffers up to a gigabyte. Therefore, requests to this machine are
 * sent uncompressed and whole, new runs are delayed while many spans wait, and spans beyond a limit are
 * dropped, which is logged.
 */
export class TraceBacklog {
  readonly #connection: ServerConnection;
  readonly #clients = new Map<UserLangGraph, Promise<TracingClient | undefined>>();
  #noWaitUntil = 0;
  #dropped = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: ServerConnection) {
    this.#connection = connection;
  }

  /** Waits until there is room for the spans of another run, two seconds at most. */
  async waitForRoom(langgraph: UserLangGraph, signal: AbortSignal): Promise<void> {
    let finding = this.#clients.get(langgraph);
    if (finding === undefined) {
      finding = this.#limitClient(langgraph);
      this.#clients.set(langgraph, finding);
    }
    const client = await finding;
    if (client === undefined || bytesOf(client) <= MANY_BYTES || performance.now() < this.#noWaitUntil)
      return;
    const until = performance.now() + MAX_WAIT_MS;
    let least = bytesOf(client);
    const before = least;
    while (bytesOf(client) > MANY_BYTES && performance.now() < until && !signal.aborted) {
      await sleep(POLL_MS);
      least = Math.min(least, bytesOf(client));
    }
    if (least === before) this.#noWaitUntil = performance.now() + GIVE_UP_MS;
  }

  /**
   * Finds the client that sends spans, and makes it drop those beyond the limit.
   * @returns undefined if tracing is off
   */
  async #limitClient(langgraph: UserLangGraph): Promise<TracingClient | undefined> {
    if (!SWITCHES.some((name) => process.env[name] === 'true')) return undefined;
    if (isTracedLocally()) process.env[UNCOMPRESSED] ??= 'true';
    const { LangChainTracer } = await langgraph.importModule('@langchain/core/tracers/tracer_langchain');
    // Tracers share the client of the process.
    const client = isTracerClass(LangChainTracer) ? new LangChainTracer().client : undefined;
    if (!isTracingClient(client)) return undefined;
    if (client.multipartStreamingDisabled === false) client.multipartStreamingDisabled = true;
    const { autoBatchQueue: queue } = client;
    const push = queue.push.bind(queue);
    queue.push = (item) => {
      if (bytesOf(client) < MAX_BYTES) return push(item);
      this.#drop();
      return Promise.resolve();
    };
    return client;
  }

  #drop(): void {
    this.#dropped++;
    const now = performance.now();
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = now;
    this.#connection.notify('log', {
      level: 'warning',
      message: `${MAX_BYTES / 1_048_576} MB of spans are waiting to be sent. ${this.#dropped} spans have been dropped so far.`,
    });
  }
}

function bytesOf({ autoBatchQueue, batchIngestCaller }: TracingClient): number {
  return autoBatchQueue.sizeBytes + (batchIngestCaller?.queueSizeBytes ?? 0);
}

function isTracerClass(value: unknown): value is new () => { client?: unknown } {
  return typeof value === 'function';
}

function isTracingClient(value: unknown): value is TracingClient {
  if (!isRecord(value) || !isRecord(value.autoBatchQueue)) return false;
  const { sizeBytes, push } = value.autoBatchQueue;
  return typeof sizeBytes === 'number' && typeof push === 'function';
}
