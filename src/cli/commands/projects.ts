import { Command } from 'commander';
import type { Session } from '../../contract/tracing/sessions.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../render/paging.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';
import type { Context } from '../terminal/context.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

const COLUMNS: readonly Column<Session>[] = [
  { title: 'PROJECT', cell: ({ name }) => name, flexible: true },
  { title: 'LATEST TRACE', cell: ({ last_run_start_time }) => localTime(last_run_start_time) },
  { title: 'TRACES KEPT', cell: ({ trace_tier }) => trace_tier ?? '' },
  { title: 'ID', cell: ({ id }) => id },
];

export function projectsCommand(context: Context): Command {
  const command = new Command('projects')
    .description('list tracing projects, newest trace first')
    .option('--name-contains <text>', 'only if the name contains this text');
  return addPageOptions(addPlatformOptions(command)).action(
    (options: PlatformOptions & PageOptions & { readonly nameContains?: string }) =>
      withPlatform(context, options, async ({ tracing }) => {
        const page = await readPages(options, 100, ({ limit, offset }) =>
          tracing.sessions.list(
            {
              query: {
                limit,
                offset,
                sort_by: 'last_run_start_time',
                sort_by_desc: true,
                name_contains: options.nameContains,
              },
            },
            { signal: context.interrupted },
          ),
        );
        showPage(context, page, COLUMNS, { ...options, empty: 'No projects yet.' });
      }),
  );
}
