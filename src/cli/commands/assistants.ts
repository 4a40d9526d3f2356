import { Command } from 'commander';
import type { assistants } from '../../contract/agent-server/assistants.ts';
import type { AnswerRead } from '../../contract/endpoint.ts';
import { addResourceCommands, type TargetOptions, withAgents } from '../agents/target.ts';
import { confirmDeletion } from '../confirm.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { objectArgument, pairArgument } from '../json-arguments.ts';
import { addPageOptions, countArgument, type PageOptions, readPages, showPage } from '../paging.ts';
import { graphLines } from '../render/graph.ts';
import { showResource } from '../render/resource.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';

interface Options extends TargetOptions {
  readonly json?: true;
}

interface Fields {
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
    .description('list assistants, latest first')
    .option('--graph <id>', 'only of this graph')
    .option('--name <text>', 'only those whose name contains this')
    .option('--metadata <key=value>', 'only with this metadata; may be given several times', pairArgument);
  return addPageOptions(command).action(
    (options: Options & PageOptions & { graph?: string; name?: string; metadata?: object }) =>
      withAgents(context, options, async ({ assistants }) => {
        const filter = { graph_id: options.graph, name: options.name, metadata: { ...options.metadata } };
        const page = await readPages(options, 1_000, (paging, { onAnswer }) =>
          assistants.search(
            { body: { ...filter, ...paging, sort_by: 'updated_at', sort_order: 'desc' } },
            { signal: context.interrupted, onAnswer },
          ),
        );
        showPage(context, page, COLUMNS, { ...options, empty: 'There are no such assistants.' });
      }),
  );
}

function get(context: Context): Command {
  return new Command('get')
    .description('show an assistant')
    .argument('<assistant>', 'its ID, or a graph, whose default assistant is meant')
    .action((id: string, options: Options) =>
      withAgents(context, options, async ({ assistants }) =>
        showResource(context, options, await assistants.get({ params: { assistant_id: id } })),
      ),
    );
}

function addFields(command: Command): Command {
  return command
    .option('--name <text>', 'what it is called')
    .option('--description <text>', 'what it is for')
    .option('--configurable <json>', 'its config.configurable')
    .option('--context <json>', 'its context')
    .option('--metadata <key=value>', 'metadata; may be given several times', pairArgument);
}

function bodyOf({ name, description, configurable, context, metadata }: Fields) {
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

function create(context: Context): Command {
  return addFields(new Command('create').description('make an assistant').argument('<graph>')).action(
    (graph_id: string, options: Options & Fields) => {
      const body = { graph_id, ...bodyOf(options) };
      return withAgents(context, options, async ({ assistants }) =>
        showResource(context, options, await assistants.create({ body })),
      );
    },
  );
}

function update(context: Context): Command {
  const command = new Command('update')
    .description('make a new version of an assistant; what is not named stays')
    .argument('<assistant>', 'its ID')
    .option('--graph <id>', 'the graph it runs');
  return addFields(command).action((id: string, options: Options & Fields & { graph?: string }) => {
    const body = {
      ...bodyOf(options),
      ...(options.graph === undefined ? {} : { graph_id: options.graph }),
    };
    if (Object.keys(body).length === 0) throw usage('Say what to change, such as --name.');
    return withAgents(context, options, async ({ assistants }) =>
      showResource(context, options, await assistants.update({ params: { assistant_id: id }, body })),
    );
  });
}

function versions(context: Context): Command {
  const command = new Command('versions')
    .description('list the versions of an assistant, newest first')
    .argument('<assistant>', 'its ID');
  return addPageOptions(command).action((id: string, options: Options & PageOptions) =>
    withAgents(context, options, async ({ assistants }) => {
      const page = await readPages(options, 1_000, (paging) =>
        assistants.versions({ params: { assistant_id: id }, body: paging }),
      );
      showPage(context, page, COLUMNS.slice(1), { ...options, empty: 'It has no versions.' });
    }),
  );
}

function setLatest(context: Context): Command {
  return new Command('set-latest')
    .description('make a version the active one')
    .argument('<assistant>', 'its ID')
    .argument('<version>', 'its number', countArgument)
    .action((id: string, version: number, options: Options) =>
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
    .argument('<assistant>', 'its ID or graph')
    .option('--xray', 'with its subgraphs opened')
    .action((id: string, options: Options & { xray?: true }) =>
      withAgents(context, options, async ({ assistants }) => {
        const drawn = await assistants.graph({
          params: { assistant_id: id },
          query: { xray: options.xray === true },
        });
        if (options.json) context.terminal.line(JSON.stringify(drawn));
        else for (const line of graphLines(drawn, context.terminal.colors)) context.terminal.line(line);
      }),
    );
}

function schemas(context: Context): Command {
  return new Command('schemas')
    .description("show the graph's input, output, state, config and context schemas")
    .argument('<assistant>', 'its ID or graph')
    .action((id: string, options: Options) =>
      withAgents(context, options, async ({ assistants }) =>
        showResource(context, options, await assistants.schemas({ params: { assistant_id: id } })),
      ),
    );
}

function remove(context: Context): Command {
  return new Command('delete')
    .description('delete an assistant with all its versions')
    .argument('<assistant>', 'its ID')
    .option('--threads', 'delete its threads, too')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: Options & { threads?: true; yes?: true }) => {
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
