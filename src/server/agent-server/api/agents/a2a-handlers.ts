import type { IncomingHttpHeaders } from 'node:http';
import type { a2a as a2aEndpoints } from '../../../../contract/agent-server/agents.ts';
import { readJson } from '../../../http/body.ts';
import { HttpError } from '../../../http/errors.ts';
import { EventStream } from '../../../http/event-stream.ts';
import type { Handlers } from '../../../http/router.ts';
import type { UsableAssistants } from '../../assistants/usable-assistants.ts';
import type { AuthorOf, RunAuthor } from '../../auth/run-author.ts';
import { type AssistantRow, toAssistant } from '../../data/assistant-store.ts';
import type { A2a } from './a2a.ts';
import { type A2aVersion, eventIn, methodOf, versionOf } from './a2a-version.ts';
import {
  answerMessage,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  RpcRequest,
  rpcError,
  rpcFailure,
  rpcResult,
} from './json-rpc.ts';

const A2A_BODY_LIMIT = 50 * 1_048_576;
/** Errors answered with 400 (docs/interface/agent-server.md#mcp-and-a2a). */
const MALFORMED: ReadonlySet<number> = new Set([PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS]);
const A2A_VERSION = '0.3.0';
/** Newer clients look here first, older ones only at the fields above. */
const A2A_INTERFACES = ['1.0', '0.3'];

/**
 * `/a2a/{assistant_id}`: JSON-RPC as JSON, or as events for `message/stream`, malformed requests with 400; and the
 * agent's card, both for assistants that the caller may use, 404 for others
 * (docs/interface/agent-server.md#mcp-and-a2a).
 */
export function a2aHandlers(
  a2a: A2a,
  assistants: UsableAssistants,
  authorOf: AuthorOf,
  options: { version: string; url: () => string },
): Handlers<typeof a2aEndpoints> {
  async function makeCard(ref: string, author: RunAuthor) {
    const row = await assistants.resolve(ref, author);
    const { assistant_id, name, description, graph_id } = toAssistant(row);
    const url = `${options.url()}/a2a/${assistant_id}`;
    return {
      protocolVersion: A2A_VERSION,
      name,
      description: description ?? `Runs the graph ${graph_id}.`,
      url,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url, transport: 'JSONRPC' }],
      supportedInterfaces: A2A_INTERFACES.map((protocolVersion) => ({
        url,
        protocolBinding: 'JSONRPC',
        protocolVersion,
      })),
      version: options.version,
      capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
      defaultInputModes: ['application/json', 'text/plain'],
      defaultOutputModes: ['application/json', 'text/plain'],
      skills: [{ id: graph_id, name, description: description ?? graph_id, tags: ['langgraph'] }],
    };
  }

  return {
    card: (call) => makeCard(call.params.assistant_id, authorOf(call)),
    cardByQuery: (call) => makeCard(call.query.assistant_id, authorOf(call)),
    rpc: async (call, response) => {
      const author = authorOf(call);
      const assistant = await assistants.resolve(call.params.assistant_id, author);
      const body = await readJson(call.request, A2A_BODY_LIMIT).catch((error: unknown) => {
        if (!(error instanceof HttpError) || error.status !== 422) throw error;
        response.statusCode = 400;
        response.end(JSON.stringify(rpcError(null, PARSE_ERROR, error.message)));
      });
      if (response.writableEnded) return;
      const request = RpcRequest.safeParse(body);
      if (request.success && methodOf(request.data) === 'message/stream') {
        const { headers } = call;
        return streamTask(a2a, response, { request: request.data, headers, assistant, author });
      }
      const answer = await answerMessage(body, (message) =>
        a2a.answer(assistant, message, author, versionOf(call.headers, message)),
      );
      if (answer !== undefined && 'error' in answer && MALFORMED.has(answer.error.code)) {
        response.statusCode = 400;
      }
      response.end(JSON.stringify(answer ?? rpcResult(null, null)));
    },
  };
}

/** The stages of a task: submitted, working, ended, each as a JSON-RPC answer in an event. */
async function streamTask(
  a2a: A2a,
  response: ConstructorParameters<typeof EventStream>[0],
  message: {
    readonly request: RpcRequest;
    readonly headers: IncomingHttpHeaders;
    readonly assistant: AssistantRow;
    readonly author: RunAuthor;
  },
): Promise<void> {
  const { request, headers, assistant, author } = message;
  const id = request.id ?? null;
  let run: Awaited<ReturnType<A2a['send']>>['run'];
  let version: A2aVersion;
  try {
    version = versionOf(headers, request);
    ({ run } = await a2a.send(assistant, request, author));
  } catch (error) {
    response.end(JSON.stringify(rpcFailure(id, error)));
    return;
  }
  const { runId, threadId } = run.identity;
  const stream = new EventStream(response, {});
  const send = (event: { kind: string; [field: string]: unknown }) =>
    stream.send('message', rpcResult(id, eventIn(version, event)));
  send({
    kind: 'task',
    id: runId,
    contextId: threadId,
    status: { state: 'submitted', timestamp: run.acceptedAt },
  });
  const working = { state: 'working', timestamp: new Date().toISOString() };
  send({ kind: 'status-update', taskId: runId, contextId: threadId, status: working, final: false });
  await run.outcome;
  const task = await a2a.readTask(runId, threadId);
  const artifacts: unknown[] = Array.isArray(task.artifacts) ? task.artifacts : [];
  for (const artifact of artifacts) {
    send({
      kind: 'artifact-update',
      taskId: runId,
      contextId: threadId,
      artifact,
      append: false,
      lastChunk: true,
    });
  }
  send({ kind: 'status-update', taskId: runId, contextId: threadId, status: task.status, final: true });
  stream.end();
}
