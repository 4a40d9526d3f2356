import { Command, Option } from 'commander';
import type { threads } from '../../../contract/agent-server/threads.ts';
import type { AnswerRead } from '../../../contract/endpoint.ts';
import { type ResourceOptions, withAgents } from '../../agents/target.ts';
import { idArgument } from '../../arguments/json-arguments.ts';
import { oneLine } from '../../render/one-line.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../../render/paging.ts';
import { showResource } from '../../render/resource.ts';
import { paintStatus } from '../../render/status.ts';
import type { Column } from '../../render/table.ts';
import { localTime } from '../../render/time.ts';
import type { Context } from '../../terminal/context.ts';
import { addThreadFilter, filterBody, type ThreadFilter } from './thread-filter.ts';

type Listed = AnswerRead<typeof threads.search>[number];

const SORTS = ['updated_at', 'created_at', 'state_updated_at', 'status', 'thread_id'] as const;

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'THREAD', cell: ({ thread_id = '' }) => thread_id },
  { title: 'STATUS', cell: ({ status = '' }) => status, paint: paintStatus },
  { title: 'GRAPH', cell: ({ metadata }) => textOf(metadata?.graph_id) },
  { title: 'UPDATED', cell: ({ updated_at }) => localTime(updated_at) },
  { title: 'TITLE', cell: titleOf, flexible: true },
];

export function listThreads(context: Context): Command {
  const command = addThreadFilter(
    new Command('list').description('list threads, most recently updated first by default'),
  )
    .addOption(new Option('--sort <field>', 'sort by').choices(SORTS).default('updated_at'))
    .option('--ascending', 'sort in ascending order');
  return addPageOptions(command).action(
    (
      options: ResourceOptions &
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
    .action((id: string, options: ResourceOptions) => {
      const params = { thread_id: idArgument('thread', id) };
      return withAgents(context, options, async ({ threads }) =>
        showResource(context, options, await threads.get({ params, query: { include: ['ttl'] } })),
      );
    });
}

/** @returns the title of a thread: its name or title in the metadata, else its first message */
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
