import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LocalDispatcher } from '../../client/local-dispatcher.ts';
import type { codingAgents } from '../../contract/coding-agents.ts';
import type { Call, Handlers } from '../http/router.ts';
import { type Deployments, toolContextOf } from './request-context.ts';

export interface McpHandlerOptions {
  readonly version: string;
  /** The address of this platform on this machine. */
  readonly baseUrl: string;
  readonly deployments: Deployments;
}

type McpCall = Call<typeof codingAgents.mcp>;

/** Request headers that belong to the protocol. */
const PROTOCOL_HEADERS = /^(?:accept|content-type|mcp-.*)$/;

/**
 * The MCP server at `/harbor/mcp`. Its tools send requests to this platform with the caller's credentials, so they can do
 * only what the caller's key allows.
 */
export function mcpHandlers(options: McpHandlerOptions): Handlers<typeof codingAgents> {
  const { version, baseUrl, deployments } = options;
  const dispatcher = new LocalDispatcher();
  return {
    mcp: async (call, response) => {
      // The code is loaded on demand, because most servers never get requests from coding agents.
      const { answerHttp } = await import('../../coding-agents/serve-http.ts');
      const { caller, body, query, signal } = call;
      const allowed = caller.grant?.rights.includes('run') === true ? 'runs' : 'reads';
      const context = toolContextOf(call, {
        baseUrl,
        dispatcher,
        deployments,
        wanted: query.deployment,
      });
      const answer = await answerHttp(requestOf(call, baseUrl), context, { version, allowed, body });
      await send(answer, response).catch((error: unknown) => {
        // The client has disconnected.
        if (!signal.aborted) throw error;
      });
    },
  };
}

/** The request in the form that the MCP server needs, with the headers of the protocol only. */
function requestOf({ headers, request, signal }: McpCall, baseUrl: string): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    PROTOCOL_HEADERS.test(name) && value !== undefined ? [[name, String(value)]] : [],
  );
  return new Request(new URL(request.url ?? '', baseUrl), { method: 'POST', headers: kept, signal });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.removeHeader('content-type');
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body), response);
}
