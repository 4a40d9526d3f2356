import { randomUUID } from 'node:crypto';
import type { mcp as mcpEndpoints } from '../../../../contract/agent-server/agents.ts';
import { HttpError } from '../../../http/errors.ts';
import { Reply } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import type { AuthorOf } from '../../auth/run-author.ts';
import { answerMessage, INVALID_REQUEST, RpcFailure, type RpcRequest, rpcError } from './json-rpc.ts';
import type { Mcp } from './mcp.ts';
import { MODERN_VERSION, SESSION_HEADER, sessionOf } from './mcp-era.ts';

/**
 * Handlers for `/mcp`, Streamable HTTP (docs/interface/agent-server.md#mcp-and-a2a). POST answers a JSON-RPC
 * message, or a batch of an earlier version, with JSON: 202 if there is nothing to answer, 400 if the message
 * is not valid or `Accept` lacks one of the types. A session is only an ID, with which earlier clients say
 * which call they cancel.
 */
export function mcpHandlers(mcp: Mcp, authorOf: AuthorOf): Handlers<typeof mcpEndpoints> {
  return {
    post: async (call) => {
      const { headers, signal } = call;
      checkAccept(headers.accept ?? '');
      const exchange = { headers, signal, author: authorOf(call) };
      let status: number | undefined;
      let session: string | undefined;
      const answerRequest = async (request: RpcRequest) => {
        try {
          const result = await mcp.answer(request, exchange);
          if (request.method === 'initialize') session = randomUUID();
          return result;
        } catch (error) {
          if (error instanceof RpcFailure) status = error.status;
          throw error;
        }
      };
      const answer = (message: unknown) =>
        answerMessage(message, answerRequest, (notification) => mcp.notice(notification, exchange));
      if (Array.isArray(call.body)) {
        if (headers['mcp-protocol-version'] === MODERN_VERSION) {
          const refused = rpcError(
            null,
            INVALID_REQUEST,
            'Send one message at a time, because this version of MCP has no batches.',
          );
          return new Reply(refused, { status: 400 });
        }
        const messages: unknown[] = call.body;
        const answers = (await Promise.all(messages.map(answer))).filter((each) => each !== undefined);
        return new Reply(answers.length === 0 ? undefined : answers, { status: statusOf(answers[0]) });
      }
      const answered = await answer(call.body);
      return new Reply(answered, {
        status: status ?? statusOf(answered),
        headers: session === undefined ? {} : { [SESSION_HEADER]: session },
      });
    },
    delete: ({ headers }) => {
      if (sessionOf(headers) === undefined) {
        throw new HttpError(404, 'Session not found: the request has no Mcp-Session-Id header.');
      }
      // A session that a client has ended would have to be refused, so the server would have to remember it.
      throw new HttpError(405, 'A session cannot be ended, because it has no state.', { allow: 'POST' });
    },
  };
}

/** @throws HttpError 400 if a client does not accept both types that the transport may answer with. */
function checkAccept(accept: string): void {
  if (accept.includes('*/*')) return;
  if (accept.includes('application/json') && accept.includes('text/event-stream')) return;
  throw new HttpError(400, 'The Accept header must include application/json and text/event-stream.');
}

/**
 * The HTTP status of an answer: 400 for an error without an ID, for example if the message is not a request.
 */
function statusOf(answer: Awaited<ReturnType<typeof answerMessage>>): number {
  if (answer === undefined) return 202;
  return 'error' in answer && answer.id === null ? 400 : 200;
}
