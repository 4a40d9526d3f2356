import { z } from 'zod';
import { RunCreate, RunCreateStateless } from '../../../../contract/agent-server/runs.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import { HttpError } from '../../../http/errors.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';
import type { Assistants } from '../../assistants/assistants.ts';
import type { Graphs } from '../../assistants/graphs.ts';
import type { UsableAssistants } from '../../assistants/usable-assistants.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { ThreadStore } from '../../data/thread-store.ts';
import type { RunRequests } from '../../requests/run-requests.ts';
import type { LiveRun } from '../../runs/live-run.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcFailure, type RpcRequest, rpcParams } from './json-rpc.ts';
import { inputSchema, outputSchema } from './mcp-schemas.ts';

/** Newest first. The first is offered to clients that request an unknown version. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const PAGE_SIZE = 100;
const NAME = /[^a-zA-Z0-9_-]+/g;
const MAX_NAME_LENGTH = 64;

export interface McpOptions {
  readonly assistants: Assistants;
  readonly usable: UsableAssistants;
  readonly graphs: Graphs;
  readonly requests: RunRequests;
  readonly threads: ThreadStore;
  readonly version: string;
}

interface Tool {
  readonly name: string;
  readonly assistantId: string;
  readonly description: string;
}

/** The Model Context Protocol without sessions: every assistant is a tool, and calling it is a run. */
export class Mcp {
  readonly #options: McpOptions;
  constructor(options: McpOptions) {
    this.#options = options;
  }

  /** @throws RpcFailure */
  async answer({ method, params }: RpcRequest, author: RunAuthor): Promise<object> {
    switch (method) {
      case 'initialize':
        return this.#initialize(rpcParams(Initialize, params));
      case 'ping':
        return {};
      case 'tools/list':
        return this.#list(rpcParams(List, params), author);
      case 'tools/call':
        return this.#call(rpcParams(Call, params), author);
      default:
        throw new RpcFailure(METHOD_NOT_FOUND, `Unknown method '${method.slice(0, 64)}'.`);
    }
  }

  #initialize({ protocolVersion }: z.output<typeof Initialize>): object {
    return {
      protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'agent-harbor', version: this.#options.version },
    };
  }

  async #list({ cursor }: z.output<typeof List>, author: RunAuthor): Promise<object> {
    const from = cursor == null ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw new RpcFailure(
        INVALID_PARAMS,
        'params.cursor: this cursor was not issued by this server. Start again without a cursor.',
      );
    const all = await this.#listTools(author);
    const page = all.slice(from, from + PAGE_SIZE);
    return {
      tools: await Promise.all(
        page.map(async ({ name, description, assistantId }) => ({
          name,
          description,
          ...(await this.#readSchemas(assistantId, author)),
        })),
      ),
      ...(from + PAGE_SIZE < all.length ? { nextCursor: String(from + PAGE_SIZE) } : {}),
    };
  }

  async #call({ name, arguments: given }: z.output<typeof Call>, author: RunAuthor): Promise<object> {
    const tool = (await this.#listTools(author)).find((candidate) => candidate.name === name);
    if (tool === undefined) throw new RpcFailure(INVALID_PARAMS, `Unknown tool '${name.slice(0, 64)}'.`);
    const { identity, outcome } = await this.#run(tool, given ?? {}, author);
    const { error, values } = await outcome;
    if (error !== undefined) {
      return { content: [{ type: 'text', text: `${error.error}: ${error.message}` }], isError: true };
    }
    const text = values ?? '{}';
    const structured = JsonObject.safeParse(JSON.parse(text)).data;
    if (structured !== undefined && '__interrupt__' in structured) {
      return waitingResult(structured, identity.threadId);
    }
    return {
      content: [{ type: 'text', text }],
      ...(structured === undefined ? {} : { structuredContent: structured }),
      isError: false,
    };
  }

  /** A run on a new thread, or with `__resume__` one that resumes an interrupted earlier call. */
  async #run({ name, assistantId }: Tool, given: JsonObject, author: RunAuthor): Promise<LiveRun> {
    const { requests, threads } = this.#options;
    const run = { assistant_id: assistantId, metadata: STARTED_HERE };
    if (!('__resume__' in given)) {
      const request = RunCreateStateless.parse({ ...run, input: given });
      return requests.createStateless({ ...request, on_completion: 'keep_waiting' }, author);
    }
    const { thread_id, value } = rpcParams(Resuming, { arguments: given }).arguments.__resume__;
    const thread = await threads.find(thread_id);
    const metadata: JsonObject = thread === undefined ? {} : readStoredObject(thread.metadata);
    const isNotWaiting = () =>
      new RpcFailure(
        INVALID_PARAMS,
        `params.arguments.__resume__.thread_id: thread '${thread_id}' is not waiting for an answer to '${name}'.`,
      );
    if (
      thread?.status !== 'interrupted' ||
      metadata.assistant_id !== assistantId ||
      metadata.started_by !== STARTED_HERE.started_by
    ) {
      throw isNotWaiting();
    }
    const request = RunCreate.parse({ ...run, command: { resume: value }, multitask_strategy: 'reject' });
    return requests
      .createOnThread(thread_id, { ...request, on_completion: 'keep_waiting' }, author)
      .catch((error: unknown) => {
        // Another user's.
        throw error instanceof HttpError && error.status === 404 ? isNotWaiting() : error;
      });
  }

  /** One tool per assistant, with its name; the ID is added if the name is already used. */
  async #listTools(author: RunAuthor): Promise<Tool[]> {
    const findable = await this.#options.usable.filterFor(author);
    const { items } = await this.#options.assistants.search({
      limit: 1000,
      offset: 0,
      sort_by: 'created_at',
      sort_order: 'asc',
    });
    const taken = new Set<string>();
    return items.filter(findable).map(({ assistant_id, name, graph_id, description }) => {
      const plain = name.replace(NAME, '_').slice(0, MAX_NAME_LENGTH) || 'assistant';
      const unique = taken.has(plain) ? `${plain.slice(0, MAX_NAME_LENGTH - 37)}_${assistant_id}` : plain;
      taken.add(unique);
      return {
        name: unique,
        assistantId: assistant_id,
        description: description ?? `Runs the graph ${graph_id}.`,
      };
    });
  }

  async #readSchemas(assistantId: string, { user }: RunAuthor): Promise<object> {
    const { assistants, graphs } = this.#options;
    // Any object is accepted if the graph failed to load or has no input schema.
    const assistant = await assistants.resolve(assistantId);
    const text = await graphs.readSchemas(assistant, user).catch(() => undefined);
    const { input_schema, output_schema } =
      Schemas.safeParse(text === undefined ? {} : JSON.parse(text.text)).data ?? {};
    const output = outputSchema(output_schema);
    return {
      inputSchema: inputSchema(input_schema),
      ...(output === undefined ? {} : { outputSchema: output }),
    };
  }
}

/** Marks threads created by tool calls. Only these can be resumed here, because the thread is deleted with the run. */
const STARTED_HERE = { started_by: 'mcp' };

/** Models can only pass arguments, so the answer is an argument, and the text explains how. */
function waitingResult(values: JsonObject, threadId: string): object {
  const again = { __resume__: { thread_id: threadId, value: '<your answer>' } };
  const how =
    'The run is waiting for an answer to `__interrupt__`. To continue, call this tool again with only these arguments: ' +
    `${JSON.stringify(again)}. The answer can be any JSON.`;
  const structuredContent = { ...values, __resume__: { thread_id: threadId, how } };
  return {
    content: [
      { type: 'text', text: JSON.stringify(structuredContent) },
      { type: 'text', text: how },
    ],
    structuredContent,
    isError: false,
  };
}

const Initialize = z.looseObject({ protocolVersion: z.string() });
const List = z.looseObject({ cursor: z.string().nullish() });
const Call = z.looseObject({ name: z.string(), arguments: JsonObject.nullish() });
const Resuming = z.object({
  arguments: z.object({ __resume__: z.object({ thread_id: z.uuid(), value: z.json() }) }),
});
const Schemas = z.looseObject({ input_schema: JsonObject.nullish(), output_schema: JsonObject.nullish() });
