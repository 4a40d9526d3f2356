import { Command, Option } from 'commander';
import { ThreadStatus, type threads } from '../../../contract/agent-server/threads.ts';
import type { AnswerRead } from '../../../contract/endpoint.ts';
import { type TargetOptions, withAgents } from '../../agents/target.ts';
import { ageArgument } from '../../arguments/arguments.ts';
import { idArgument, objectArgument, pairArgument } from '../../arguments/json-arguments.ts';
import { oneLine } from '../../render/one-line.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../../render/paging.ts';
import { showResource } from '../../render/resource.ts';
import { paintStatus } from '../../render/status.ts';
import type { Column } from '../../render/table.ts';
import { localTime } from '../../render/time.ts';
import type { Context } from '../../terminal/context.ts';
import { usage } from '../../terminal/failure.ts';

export interface ThreadOptions extends TargetOptions {
  readonly json?: true;
}

type Listed = AnswerRead<typeof threads.search>[number];

const SORTS = ['updated_at', 'created_at', 'state_updated_at', 'status', 'thread_id'] as const;

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'THREAD', cell: ({ thread_id = '' }) => thread_id },
  { title: 'STATUS', cell: ({ status = '' }) => status, paint: paintStatus },
  { title: 'GRAPH', cell: ({ metadata }) => textOf(metadata?.graph_id) },
  { title: 'UPDATED', cell: ({ updated_at }) => localTime(updated_at) },
  { title: 'BEGINS', cell: titleOf, flexible: true },
];

export interface ThreadFilter {
  readonly status?: ThreadStatus;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly values?: string;
}

export function addThreadFilter(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only with this status').choices(ThreadStatus.options))
    .option('--metadata <key=value>', 'only with this metadata, repeatable', pairArgument)
    .option('--values <json>', 'only if the values contain this JSON');
}

export function filterBody({ status, metadata, values }: ThreadFilter) {
  return {
    ...(status === undefined ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(values === undefined ? {} : { values: objectArgument('--values', values) }),
  };
}

export function listThreads(context: Context): Command {
  const command = addThreadFilter(new Command('list').description('list threads, newest first'))
    .addOption(new Option('--sort <field>', 'sort by').choices(SORTS).default('updated_at'))
    .option('--ascending', 'sort in ascending order');
  return addPageOptions(command).action(
    (
      options: ThreadOptions &
        ThreadFilter &
        PageOptions & { readonly sort: (typeof SORTS)[number]; readonly ascending?: true },
    ) => {
      const filter = filterBody(options);
      return withAgents(context, options, async ({ threads }) => {
        const page = await readPages(options, 1_000, (paging, { onAnswer }) =>
          threads.search(
            {
              body: {
                ...filter,
                ...paging,
                sort_by: options.sort,
                sort_order: options.ascending ? 'asc' : 'desc',
                select: ['thread_id', 'created_at', 'updated_at', 'metadata', 'status'],
                extract: { title: 'values.messages[0].content' },
              },
            },
            { signal: context.interrupted, onAnswer },
          ),
        );
        showPage(context, page, COLUMNS, { ...options, empty: 'No matching threads.' });
      });
    },
  );
}

export function getThread(context: Context): Command {
  return new Command('get')
    .description('show a thread')
    .argument('<thread>', 'ID')
    .action((id: string, options: ThreadOptions) => {
      const params = { thread_id: idArgument('thread', id) };
      return withAgents(context, options, async ({ threads }) =>
        showResource(context, options, await threads.get({ params, query: { include: ['ttl'] } })),
      );
    });
}

interface ThreadFields {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly ttl?: number;
}

function addFields(command: Command): Command {
  return command
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument)
    .option('--ttl <age>', 'time to live, such as 12h or 30d', ageArgument);
}

function bodyOf({ metadata, ttl }: ThreadFields) {
  return {
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(ttl === undefined ? {} : { ttl: ttl / 60_000 }),
  };
}

export function createThread(context: Context): Command {
  const command = new Command('create')
    .description('create an empty thread')
    .option('--id <id>', 'thread ID (default: a new ID)')
    .option('--graph <id>', 'graph of the thread, needed to set its state before the first run');
  return addFields(command).action(
    (options: ThreadOptions & ThreadFields & { readonly id?: string; readonly graph?: string }) => {
      const { id, graph } = options;
      const body = bodyOf(options);
      return withAgents(context, options, async ({ threads }) =>
        showResource(
          context,
          options,
          await threads.create({
            body: {
              ...body,
              ...(id === undefined ? {} : { thread_id: idArgument('thread', id) }),
              ...(graph === undefined ? {} : { metadata: { ...options.metadata, graph_id: graph } }),
            },
          }),
        ),
      );
    },
  );
}

export function updateThread(context: Context): Command {
  const command = new Command('update')
    .description('merge metadata into a thread, or set its time to live')
    .argument('<thread>', 'ID');
  return addFields(command).action((id: string, options: ThreadOptions & ThreadFields) => {
    const params = { thread_id: idArgument('thread', id) };
    const body = bodyOf(options);
    if (Object.keys(body).length === 0) throw usage('Nothing to change. Pass --metadata or --ttl.');
    return withAgents(context, options, async ({ threads }) =>
      showResource(context, options, (await threads.update({ params, body })) ?? params),
    );
  });
}

/** The title of a thread: its name, or its first message. */
function titleOf({ metadata, ...thread }: Listed): string {
  const extracted = 'extracted' in thread ? thread.extracted : undefined;
  const begins =
    extracted !== null && typeof extracted === 'object' && 'title' in extracted ? extracted.title : undefined;
  const title = [metadata?.name, metadata?.title, begins].find((one) => one !== undefined && one !== null);
  return title === undefined ? '' : oneLine(title);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
