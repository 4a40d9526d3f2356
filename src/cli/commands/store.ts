import { Command } from 'commander';
import type { Item } from '../../contract/agent-server/store.ts';
import { addResourceCommands, type ResourceOptions, withAgents } from '../agents/target.ts';
import { namespaceArgument, readTextArgument, ttlArgument } from '../arguments/arguments.ts';
import { objectArgument } from '../arguments/json-arguments.ts';
import { oneLine } from '../render/one-line.ts';
import { addPageOptions, countArgument, type PageOptions, readPages, showPage } from '../render/paging.ts';
import { showResource } from '../render/resource.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';
import { confirmDeletion } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

const COLUMNS: readonly Column<Item>[] = [
  { title: 'NAMESPACE', cell: ({ namespace }) => namespace.join('.') },
  { title: 'KEY', cell: ({ key }) => key },
  { title: 'SCORE', cell: ({ score }) => score?.toFixed(3) ?? '' },
  { title: 'UPDATED', cell: ({ updated_at }) => localTime(updated_at) },
  { title: 'VALUE', cell: ({ value }) => oneLine(value), flexible: true },
];

export function storeCommand(context: Context): Command {
  const command = new Command('store').description('long-term memory shared by all threads');
  return addResourceCommands(command, context, [search, get, put, remove, namespaces]);
}

function search(context: Context): Command {
  const command = new Command('search')
    .alias('list')
    .description('list items, filtered by fields or by semantic search')
    .argument('[namespace]', 'namespace prefix, such as users.ada', namespaceArgument)
    .option('--query <text>', 'order by similarity to this text, if the agent has embeddings')
    .option('--filter <json>', 'only if the value has these fields');
  return addPageOptions(command).action(
    (
      prefix: string[] | undefined,
      options: ResourceOptions & PageOptions & { query?: string; filter?: string },
    ) => {
      const { query, filter } = options;
      const body = {
        namespace_prefix: prefix ?? [],
        ...(query === undefined ? {} : { query }),
        ...(filter === undefined ? {} : { filter: objectArgument('--filter', filter) }),
      };
      return withAgents(context, options, async ({ store }) => {
        const page = await readPages(options, 1_000, async (paging) => {
          const found = await store.search({ body: { ...body, ...paging } }, { signal: context.interrupted });
          return found.items;
        });
        showPage(context, page, COLUMNS, { ...options, empty: 'No matching items.' });
      });
    },
  );
}

function get(context: Context): Command {
  return new Command('get')
    .description('show an item')
    .argument('<namespace>', 'namespace, such as users.ada', namespaceArgument)
    .argument('<key>')
    .action((namespace: string[], key: string, options: ResourceOptions) =>
      withAgents(context, options, async ({ store }) => {
        const item = await store.get({ query: { namespace: namespace.join('.'), key } });
        if (item === null)
          throw new Failure(
            `No item '${key}' in ${namespace.join('.')}. Find items with agent-harbor store search ${namespace.join('.')}.`,
          );
        showResource(context, options, item);
      }),
    );
}

interface PutOptions extends ResourceOptions {
  /** In minutes. */
  readonly ttl?: number;
  readonly index: boolean;
}

function put(context: Context): Command {
  return new Command('put')
    .description('create or replace an item')
    .argument('<namespace>', 'namespace, such as users.ada', namespaceArgument)
    .argument('<key>')
    .argument('<json>', 'value, a JSON object; - reads standard input')
    .option('--ttl <age>', 'time to live, such as 12h or 30d', ttlArgument)
    .option('--no-index', 'exclude the item from semantic search')
    .action(async (namespace: string[], key: string, json: string, options: PutOptions) => {
      const value = objectArgument('the value', await readTextArgument(json, context.stdin));
      const body = {
        namespace,
        key,
        value,
        ...(options.index ? {} : { index: false as const }),
        ...(options.ttl === undefined ? {} : { ttl: options.ttl }),
      };
      await withAgents(context, options, async ({ store }) => {
        await store.put({ body });
        context.terminal.note(`Stored '${key}' in ${namespace.join('.')}.`);
      });
    });
}

function remove(context: Context): Command {
  return new Command('delete')
    .description('delete an item')
    .argument('<namespace>', 'namespace, such as users.ada', namespaceArgument)
    .argument('<key>')
    .option('--yes', 'skip the confirmation')
    .action(async (namespace: string[], key: string, options: ResourceOptions & { yes?: true }) => {
      await confirmDeletion(context, options, `'${key}' in ${namespace.join('.')}`);
      await withAgents(context, options, async ({ store }) => {
        await store.delete({ body: { namespace, key } });
        context.terminal.note(`Deleted '${key}' in ${namespace.join('.')}.`);
      });
    });
}

function namespaces(context: Context): Command {
  const command = new Command('namespaces')
    .description('list namespaces')
    .argument('[prefix]', 'namespace prefix; * matches any label', namespaceArgument)
    .option('--suffix <labels>', 'namespace suffix', namespaceArgument)
    .option('--depth <number>', 'maximum number of labels', countArgument);
  return addPageOptions(command, 100).action(
    (
      prefix: string[] | undefined,
      options: ResourceOptions & PageOptions & { suffix?: string[]; depth?: number },
    ) =>
      withAgents(context, options, async ({ store }) => {
        const body = { prefix, suffix: options.suffix, max_depth: options.depth };
        const page = await readPages(options, 1_000, async (paging) => {
          const found = await store.namespaces({ body: { ...body, ...paging } });
          return found.namespaces;
        });
        const columns: Column<string[]>[] = [{ title: 'NAMESPACE', cell: (labels) => labels.join('.') }];
        showPage(context, page, columns, { ...options, empty: 'No namespaces.' });
      }),
  );
}
