import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import type { Assistants } from '../../assistants/assistants.ts';
import type { Graphs } from '../../assistants/graphs.ts';
import type { UsableAssistants } from '../../assistants/usable-assistants.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import { INVALID_PARAMS, RpcFailure } from './json-rpc.ts';
import { inputSchema, outputSchema } from './mcp-schemas.ts';

const PAGE_SIZE = 100;
/** Characters that the names of tools must not have. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]+/g;
const MAX_NAME_LENGTH = 64;
/** The length of an underscore and an id, which are added to a name that is already used. */
const SUFFIX_LENGTH = 37;

export interface McpTool {
  readonly name: string;
  readonly assistantId: string;
  readonly description: string;
  /** Whether calls of the tool may become tasks (`metadata.mcp.tasks` of the assistant). */
  readonly hasTasks: boolean;
}

export interface McpToolsOptions {
  readonly assistants: Pick<Assistants, 'readAll' | 'resolve'>;
  readonly usable: Pick<UsableAssistants, 'filterFor'>;
  readonly graphs: Pick<Graphs, 'readSchemas'>;
}

/** The tools of a deployment: one per assistant, with its name; the ID is added if the name is already used. */
export class McpTools {
  readonly #options: McpToolsOptions;
  constructor(options: McpToolsOptions) {
    this.#options = options;
  }

  /** A page of the tools that a caller may use. @throws RpcFailure for an invalid cursor */
  async list(cursor: string | null | undefined, author: RunAuthor): Promise<object> {
    const from = cursor == null ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0)
      throw new RpcFailure(
        INVALID_PARAMS,
        'params.cursor: this cursor was not issued by this server. Start again without a cursor.',
      );
    const all = await this.#findAll(author);
    const page = all.slice(from, from + PAGE_SIZE);
    return {
      tools: await Promise.all(
        page.map(async ({ name, description, assistantId }) => ({
          name,
          description,
          ...(await this.#describeSchemas(assistantId, author)),
        })),
      ),
      ...(from + PAGE_SIZE < all.length ? { nextCursor: String(from + PAGE_SIZE) } : {}),
    };
  }

  /** Finds a tool by its name. @throws RpcFailure if there is none, or the caller may not use it */
  async require(name: string, author: RunAuthor): Promise<McpTool> {
    const tool = (await this.#findAll(author)).find((candidate) => candidate.name === name);
    if (tool === undefined) throw new RpcFailure(INVALID_PARAMS, `Unknown tool '${name.slice(0, 64)}'.`);
    return tool;
  }

  /** Whether the graph itself has an input of this name. */
  async hasInput({ assistantId }: McpTool, name: string, author: RunAuthor): Promise<boolean> {
    const { input_schema } = await this.#readSchemas(assistantId, author);
    return input_schema != null && name in propertiesOf(input_schema);
  }

  async #findAll(author: RunAuthor): Promise<McpTool[]> {
    const findable = await this.#options.usable.filterFor(author);
    const taken = new Set<string>();
    const tools: McpTool[] = [];
    for await (const assistant of this.#options.assistants.readAll()) {
      if (!findable(assistant)) continue;
      const { assistant_id, name, graph_id, description, metadata } = assistant;
      const plain = name.replace(NOT_IN_NAMES, '_').slice(0, MAX_NAME_LENGTH) || 'assistant';
      const unique = taken.has(plain)
        ? `${plain.slice(0, MAX_NAME_LENGTH - SUFFIX_LENGTH)}_${assistant_id}`
        : plain;
      taken.add(unique);
      tools.push({
        name: unique,
        assistantId: assistant_id,
        description: description ?? `Runs the graph ${graph_id}.`,
        hasTasks: OwnSettings.safeParse(metadata).data?.mcp.tasks !== false,
      });
    }
    return tools;
  }

  async #describeSchemas(assistantId: string, author: RunAuthor): Promise<object> {
    const { input_schema, output_schema } = await this.#readSchemas(assistantId, author);
    const output = outputSchema(output_schema);
    const input = inputSchema(input_schema);
    return {
      inputSchema: { ...input, properties: { ...THREAD_ARGUMENT, ...propertiesOf(input) } },
      ...(output === undefined ? {} : { outputSchema: output }),
    };
  }

  /** The schemas of a graph; none if it failed to load or has none. */
  async #readSchemas(assistantId: string, { user }: RunAuthor): Promise<z.output<typeof Schemas>> {
    const { assistants, graphs } = this.#options;
    const assistant = await assistants.resolve(assistantId);
    // A tool whose schemas cannot be read accepts any object.
    const text = await graphs.readSchemas(assistant, user).catch(() => undefined);
    return Schemas.safeParse(text === undefined ? {} : JSON.parse(text.text)).data ?? {};
  }
}

/** The argument that continues the thread of an earlier call, or begins a thread that is kept. */
const THREAD_ARGUMENT = {
  thread_id: {
    type: 'string',
    description:
      "The conversation to continue: the thread_id of an earlier result, or 'new' to begin one. Leave it out for a separate call.",
  },
};

function propertiesOf(schema: JsonObject): JsonObject {
  return JsonObject.safeParse(schema.properties).data ?? {};
}

const OwnSettings = z.looseObject({ mcp: z.looseObject({ tasks: z.unknown() }) });
const Schemas = z.looseObject({ input_schema: JsonObject.nullish(), output_schema: JsonObject.nullish() });
