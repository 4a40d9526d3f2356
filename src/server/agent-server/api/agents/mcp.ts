import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { RunAuthor } from '../../auth/run-author.ts';
import { METHOD_NOT_FOUND, RpcFailure, RpcId, type RpcRequest, rpcParams } from './json-rpc.ts';
import { fingerprint } from './mcp-call-store.ts';
import type { McpCalls } from './mcp-calls.ts';
import { McpCancellations } from './mcp-cancellations.ts';
import {
  isModern,
  LEGACY_VERSIONS,
  type McpClient,
  MODERN_VERSION,
  readClient,
  sessionOf,
  TASKS_EXTENSION,
} from './mcp-era.ts';
import type { McpTasks } from './mcp-tasks.ts';
import type { McpTools } from './mcp-tools.ts';

/** How long clients may cache lists. It is short, because clients are not notified when assistants change. */
const LIST_TTL_MS = 5_000;
/** How long clients may cache the server's versions and capabilities. */
const DISCOVERY_TTL_MS = 3_600_000;

export interface McpOptions {
  readonly tools: McpTools;
  readonly calls: McpCalls;
  readonly tasks: McpTasks;
  readonly version: string;
}

/** The parts of a request other than its message. */
export interface McpExchange {
  readonly headers: IncomingHttpHeaders;
  readonly author: RunAuthor;
  readonly signal: AbortSignal;
}

/**
 * The Model Context Protocol without state in sessions: every assistant is a tool, and every call starts a
 * run. Supports clients of both eras: those that begin with `initialize`, and those whose requests each name
 * their version (docs/interface/agent-server.md#mcp-and-a2a).
 */
export class Mcp {
  readonly #options: McpOptions;
  readonly #cancellations = new McpCancellations();
  constructor(options: McpOptions) {
    this.#options = options;
  }

  /** Answers a request of either era. @throws RpcFailure */
  async answer(request: RpcRequest, exchange: McpExchange): Promise<object> {
    if (!isModern(exchange.headers, request)) return this.#answerLegacy(request, exchange);
    const client = readClient(exchange.headers, request);
    const result = await this.#answerModern(request, client, exchange);
    return { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': this.#info } };
  }

  /** Takes a notification. Clients of the earlier era cancel calls with one; all others are ignored. */
  async notice({ method, params }: RpcRequest, { headers, author }: McpExchange): Promise<void> {
    const { data: cancelled } = Cancelled.safeParse(params);
    if (method !== 'notifications/cancelled' || cancelled === undefined) return;
    const requestKey = requestKeyOf(sessionOf(headers), cancelled.requestId, author);
    if (requestKey === undefined) return;
    this.#cancellations.cancel(requestKey);
    // Another server may be answering the call.
    await this.#options.calls.cancel(requestKey, author);
  }

  get #info() {
    return { name: 'agent-harbor', version: this.#options.version };
  }

  async #answerLegacy({ id, method, params }: RpcRequest, { headers, author }: McpExchange): Promise<object> {
    const { tools } = this.#options;
    switch (method) {
      case 'initialize': {
        const { protocolVersion } = rpcParams(Initialize, params);
        return {
          protocolVersion: LEGACY_VERSIONS.includes(protocolVersion) ? protocolVersion : LEGACY_VERSIONS[0],
          capabilities: { tools: { listChanged: false } },
          serverInfo: this.#info,
        };
      }
      case 'ping':
        return {};
      case 'tools/list':
        return tools.list(rpcParams(List, params).cursor, author);
      case 'tools/call':
        return this.#callLegacy(params, author, requestKeyOf(sessionOf(headers), id, author));
      default:
        throw new RpcFailure(METHOD_NOT_FOUND, `Unknown method '${method.slice(0, 64)}'.`);
    }
  }

  /**
   * Calls a tool for an earlier client. Only its notification cancels the call, not its disconnection,
   * because it may reconnect.
   */
  async #callLegacy(
    params: RpcRequest['params'],
    author: RunAuthor,
    requestKey: string | undefined,
  ): Promise<object> {
    const followed = requestKey === undefined ? undefined : this.#cancellations.follow(requestKey);
    const signal = followed?.signal ?? new AbortController().signal;
    try {
      return await this.#options.calls.call(params, { author, client: undefined, signal, requestKey });
    } finally {
      followed?.end();
    }
  }

  async #answerModern(
    { method, params }: RpcRequest,
    client: McpClient,
    { author, signal }: McpExchange,
  ): Promise<object> {
    const { tools, calls, tasks } = this.#options;
    switch (method) {
      case 'server/discover':
        return {
          supportedVersions: [MODERN_VERSION, ...LEGACY_VERSIONS],
          capabilities: { tools: { listChanged: false }, extensions: { [TASKS_EXTENSION]: {} } },
          ttlMs: DISCOVERY_TTL_MS,
          cacheScope: 'public',
        };
      case 'tools/list': {
        const listed = await tools.list(rpcParams(List, params).cursor, author);
        return { ...listed, ttlMs: LIST_TTL_MS, cacheScope: 'private' };
      }
      case 'tools/call':
        return calls.call(params, { author, client, signal });
      case 'tasks/get':
        return tasks.get(params, client, author);
      case 'tasks/update':
        return tasks.update(params, client, author);
      case 'tasks/cancel':
        return tasks.cancel(params, client, author);
      default:
        throw new RpcFailure(METHOD_NOT_FOUND, `Unknown method '${method.slice(0, 64)}'.`, { status: 404 });
    }
  }
}

/**
 * A fingerprint of a request, its session and its user; undefined without a session, because other clients
 * use the same IDs.
 */
function requestKeyOf(
  session: string | undefined,
  id: RpcId | null | undefined,
  { user }: RunAuthor,
): string | undefined {
  if (session === undefined || id == null) return undefined;
  return fingerprint({ session, id, user: user?.identity ?? null });
}

const Cancelled = z.looseObject({ requestId: RpcId });
const Initialize = z.looseObject({ protocolVersion: z.string() });
const List = z.looseObject({ cursor: z.string().nullish() });
