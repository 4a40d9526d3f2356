import type { a2a as a2aEndpoints } from '../../../../contract/agent-server/agents.ts';
import { readJson } from '../../../http/body.ts';
import { HttpError } from '../../../http/errors.ts';
import type { Handlers } from '../../../http/router.ts';
import type { UsableAssistants } from '../../assistants/usable-assistants.ts';
import type { AuthorOf, RunAuthor } from '../../auth/run-author.ts';
import { toAssistant } from '../../data/assistant-store.ts';
import type { A2a } from './a2a.ts';
import { agentCard } from './a2a-card.ts';
import { isStreamed, streamTask } from './a2a-stream.ts';
import { versionOf } from './a2a-version.ts';
import { answerMessage, PARSE_ERROR, RpcRequest, rpcError, rpcResult } from './json-rpc.ts';

const MAX_BODY_BYTES = 50 * 1_048_576;

/**
 * Handlers for the JSON-RPC of A2A (`/a2a/{assistant_id}`) and for agent cards. Errors of JSON-RPC also have
 * status 200, because clients do not read the error in a response with any other status. Assistants that the
 * caller may not use give 404 (docs/interface/agent-server.md#mcp-and-a2a).
 */
export function a2aHandlers(
  a2a: A2a,
  assistants: UsableAssistants,
  authorOf: AuthorOf,
  options: { version: string; url: () => string },
): Handlers<typeof a2aEndpoints> {
  async function makeCard(ref: string, author: RunAuthor) {
    const assistant = toAssistant(await assistants.resolve(ref, author));
    return agentCard(assistant, `${options.url()}/a2a/${assistant.assistant_id}`, options.version);
  }

  return {
    card: (call) => makeCard(call.params.assistant_id, authorOf(call)),
    cardByQuery: (call) => makeCard(call.query.assistant_id, authorOf(call)),
    rpc: async (call, response) => {
      const author = authorOf(call);
      const assistant = await assistants.resolve(call.params.assistant_id, author);
      const reply = (answer: object) => void response.end(JSON.stringify(answer));
      const read = await readJson(call.request, MAX_BODY_BYTES).then(
        (body) => ({ body }),
        (error: unknown) => {
          if (!(error instanceof HttpError) || error.status !== 422) throw error;
          return { refusal: rpcError(null, PARSE_ERROR, error.message) };
        },
      );
      if ('refusal' in read) return reply(read.refusal);
      const request = RpcRequest.safeParse(read.body).data;
      if (request !== undefined && isStreamed(request)) {
        return streamTask(a2a, response, { request, headers: call.headers, assistant, author });
      }
      const answer = await answerMessage(read.body, (message) =>
        a2a.answer(assistant, message, author, versionOf(call.headers, message)),
      );
      // A notification has no answer, but the response must be JSON.
      reply(answer ?? rpcResult(null, null));
    },
  };
}
