import type { mcp as mcpEndpoints } from '../../../../contract/agent-server/agents.ts';
import { HttpError } from '../../../http/errors.ts';
import { Reply } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import type { AuthorOf } from '../../auth/run-author.ts';
import { answerMessage, INVALID_REQUEST, RpcFailure, rpcError } from './json-rpc.ts';
import type { Mcp } from './mcp.ts';
import { MODERN_VERSION } from './mcp-era.ts';

/**
 * Handlers for `/mcp`, Streamable HTTP without sessions (docs/interface/agent-server.md#mcp-and-a2a). POST answers a
 * JSON-RPC message, or a batch of an earlier version, with JSON: 202 if there is nothing to answer, 400 if the message is
 * not valid or `Accept` lacks one of the types. DELETE is 404.
 */
export function mcpHandlers(mcp: Mcp, authorOf: AuthorOf): Handlers<typeof mcpEndpoints> {
  return {
    post: async (call) => {
      const accept = call.headers.accept ?? '';
      if (
        !accept.includes('*/*') &&
        !(accept.includes('application/json') && accept.includes('text/event-stream'))
      ) {
        throw new HttpError(400, 'The Accept header must include application/json and text/event-stream.');
      }
      const { headers, signal } = call;
      const exchange = { headers, signal, author: authorOf(call) };
      let status: number | undefined;
      const answer = (message: unknown) =>
        answerMessage(message, async (request) => {
          try {
            return await mcp.answer(request, exchange);
          } catch (error) {
            if (error instanceof RpcFailure) status = error.status;
            throw error;
          }
        });
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
      return new Reply(answered, { status: status ?? statusOf(answered) });
    },
    delete: () => {
      throw new HttpError(404, 'Session not found: this server has no sessions.');
    },
  };
}

function statusOf(answer: Awaited<ReturnType<typeof answerMessage>>): number {
  if (answer === undefined) return 202;
  return 'error' in answer && answer.id === null ? 400 : 200;
}
