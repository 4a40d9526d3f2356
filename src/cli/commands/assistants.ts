import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { assistants } from '../../contract/agent-server/assistants.ts';
import type { AnswerRead } from '../../contract/endpoint.ts';
import type { JsonObject } from '../../contract/fields.ts';
import { addResourceCommands, type ResourceOptions, withAgents } from '../agents/target.ts';
import { objectArgument, pairArgument } from '../arguments/json-arguments.ts';
import { graphLines } from '../render/graph.ts';
import { addPageOptions, countArgument, type PageOptions, readPages, showPage } from '../render/paging.ts';
import { showResource } from '../render/resource.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';
import { confirmDeletion } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith, usage } from '../terminal/failure.ts';

interface AssistantFields {
  readonly name?: string;
  readonly description?: string;
  readonly configurable?: string;
  readonly context?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type Listed = AnswerRead<typeof assistants.search>[number];

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'ASSISTANT', cell: ({ assistant_id = '' }) => assistant_id },
  { title: 'GRAPH', cell: ({ graph_id = '' }) => graph_id },
  { title: 'NAME', cell: ({ name = '' }) => name, flexible: true },
  { title: 'VERSION', cell: ({ version }) => String(version ?? '') },
  { title: 'UPDATED', cell: ({ updated_at }) => localTime(updated_at) },
  { title: 'DESCRIPTION', cell: ({ description }) => description ?? '', flexible: true },
];

/** The columns of the versions of one assistant: all but its ID. */
const VERSION_COLUMNS = COLUMNS.slice(1);

export function assistantsCommand(context: Context): Command {
  const command = new Command('assistants').description('assistants: graphs with a configuration');
  return addResourceCommands(command, context, [
    list,
    get,
    create,
    update,
    versions,
    setLatest,
    graph,
    schemas,
    remove,
  ]);
}

function list(context: Context): Command {
  const command = new Command('list')
    .description('list assistants, newest first')
    .option('--graph <id>', 'only assistants of this graph')
    .option('--name <text>', 'only if the name contains this text')
    .option('--metadata <key=value>', 'only with this metadata, repeatable', pairArgument);
  return addPageOptions(command).action(
    (options: ResourceOptions & PageOptions & { graph?: string; name?: string; metadata?: object }) =>
      withAgents(context, options, async ({ assistants }, { loadFailure }) => {
        const filter = { graph_id: options.graph, name: options.name, metadata: { ...options.metadata } };
        const page = await readPages(options, 1_000, (paging, { onAnswer }) =>
          assistants.search(
            { body: { ...filter, ...paging, sort_by: 'updated_at', sort_order: 'desc' } },
            { signal: context.interrupted, onAnswer },
          ),
        );
        // Assistants come from the graphs, so there may be none when the graphs did not load.
        const empty =
          loadFailure === undefined ? 'No matching assistants.' : 'No assistants: the graphs failed to load.';
        showPage(context, page, COLUMNS, { ...options, empty });
        if (loadFailure !== undefined) endWith(EXIT.failed);
      }),
  );
}

function get(context: Context): Command {
  return new Command('get')
    .description('show an assistant')
    .argument('<assistant>', 'assistant ID, or a graph for its default assistant')
    .action((id: string, options: ResourceOptions) =>
      withAgents(context, options, async ({ assistants }) =>
        showResource(context, options, await assistants.get({ params: { assistant_id: id } })),
      ),
    );
}

function addFields(command: Command): Command {
  return command
    .option('--name <text>', 'name')
    .option('--description <text>', 'description')
    .option('--configurable <json>', 'config.configurable')
    .option('--context <json>', 'context')
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument);
}

function bodyOf({ name, description, configurable, context, metadata }: AssistantFields) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(configurable === undefined
      ? {}
      : { config: { configurable: objectArgument('--configurable', configurable) } }),
    ...(context === undefined ? {} : { context: objectArgument('--context', context) }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  };
}

/**
 * Refuses a context that does not match the schema of its graph, as VS Code does when an assistant is saved. The server
 * accepts any context.
 * @param id the ID of an assistant or a graph
 */
async function checkContext(
  assistants: Client['assistants'],
  id: string,
  context: JsonObject | undefined,
): Promise<void> {
  if (context === undefined) return;
  // Without schemas there is nothing to check; the request itself reports anything else that is wrong.
  const schemas = await assistants.schemas({ params: { assistant_id: id } }).catch(() => undefined);
  if (schemas?.context_schema == null) return;
  const { contextProblem } = await import('../../client/context-problem.ts');
  const problem = contextProblem(context, schemas.context_schema);
  if (problem === undefined) return;
  throw usage(`--context does not match the context schema of the graph: ${problem.path}: ${problem.reason}`);
}

function create(context: Context): Command {
  return addFields(new Command('create').description('create an assistant').argument('<graph>')).action(
    (graph_id: string, options: ResourceOptions & AssistantFields) => {
      const body = { graph_id, ...bodyOf(options) };
      return withAgents(context, options, async ({ assistants }) => {
        await checkContext(assistants, graph_id, body.context);
        showResource(context, options, await assistants.create({ body }));
      });
    },
  );
}

function update(context: Context): Command {
  const command = new Command('update')
    .description('create a new version of an assistant; fields that you do not pass stay unchanged')
    .argument('<assistant>', 'ID')
    .option('--graph <id>', 'graph it runs');
  return addFields(command).action(
    (id: string, options: ResourceOptions & AssistantFields & { graph?: string }) => {
      const body = {
        ...bodyOf(options),
        ...(options.graph === undefined ? {} : { graph_id: options.graph }),
      };
      if (Object.keys(body).length === 0) throw usage('Nothing to change. Pass an option such as --name.');
      return withAgents(context, options, async ({ assistants }) => {
        await checkContext(assistants, body.graph_id ?? id, body.context);
        showResource(context, options, await assistants.update({ params: { assistant_id: id }, body }));
      });
    },
  );
}

function versions(context: Context): Command {
  const command = new Command('versions')
    .description('list the versions of an assistant, newest first')
    .argument('<assistant>', 'ID');
  return addPageOptions(command).action((id: string, options: ResourceOptions & PageOptions) =>
    withAgents(context, options, async ({ assistants }) => {
      const page = await readPages(options, 1_000, (paging) =>
        assistants.versions({ params: { assistant_id: id }, body: paging }),
      );
      showPage(context, page, VERSION_COLUMNS, { ...options, empty: 'No versions.' });
    }),
  );
}

function setLatest(context: Context): Command {
  return new Command('set-latest')
    .description('activate a version')
    .argument('<assistant>', 'ID')
    .argument('<version>', 'version number', countArgument)
    .action((id: string, version: number, options: ResourceOptions) =>
      withAgents(context, options, async ({ assistants }) =>
        showResource(
          context,
          options,
          await assistants.setLatest({ params: { assistant_id: id }, body: { version } }),
        ),
      ),
    );
}

function graph(context: Context): Command {
  return new Command('graph')
    .description("show the graph's nodes and edges")
    .argument('<assistant>', 'assistant ID or graph')
    .option('--xray', 'expand subgraphs')
    .action((id: string, options: ResourceOptions & { xray?: true }) =>
      withAgents(context, options, async ({ assistants }) => {
        const drawn = await assistants.graph({
          params: { assistant_id: id },
          query: { xray: options.xray === true },
        });
        if (options.json) context.terminal.json(drawn);
        else for (const line of graphLines(drawn, context.terminal.colors)) context.terminal.line(line);
      }),
    );
}

function schemas(context: Context): Command {
  return new Command('schemas')
    .description("show the graph's input, output, state, config and context schemas")
    .argument('<assistant>', 'assistant ID or graph')
    .action((id: string, options: ResourceOptions) =>
      withAgents(context, options, async ({ assistants }) =>
        showResource(context, options, await assistants.schemas({ params: { assistant_id: id } })),
      ),
    );
}

function remove(context: Context): Command {
  return new Command('delete')
    .description('delete an assistant with all its versions')
    .argument('<assistant>', 'ID')
    .option('--threads', 'also delete its threads')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ResourceOptions & { threads?: true; yes?: true }) => {
      await confirmDeletion(context, options, `assistant ${id}${options.threads ? ' and its threads' : ''}`);
      await withAgents(context, options, async ({ assistants }) => {
        await assistants.delete({
          params: { assistant_id: id },
          query: { delete_threads: options.threads === true },
        });
        context.terminal.note(`Deleted assistant ${id}.`);
      });
    });
}
