import { Command } from 'commander';
import type { Client } from '../../../client/client.ts';
import { eachPage } from '../../../client/each-page.ts';
import { exportThreads } from '../../../client/export-threads.ts';
import { formatCount } from '../../../process/format-count.ts';
import { type ResourceOptions, withAgents } from '../../agents/target.ts';
import { archiveText, writeArchive } from '../../archive/archive-file.ts';
import { idArgument } from '../../arguments/json-arguments.ts';
import type { Context } from '../../terminal/context.ts';
import { addThreadFilter, filterBody, type ThreadFilter } from './thread-filter.ts';

const PAGE_SIZE = 1_000;

interface ExportOptions extends ResourceOptions, ThreadFilter {
  readonly output?: string;
}

export function exportThreadsCommand(context: Context): Command {
  const command = new Command('export')
    .description('export threads with their history as JSON Lines; all threads unless filtered')
    .argument('[threads...]', 'thread IDs')
    .option('--output <file>', 'file, compressed if the name ends in .gz (default: standard output)');
  return addThreadFilter(command).action((ids: string[], options: ExportOptions) => {
    const { interrupted: signal, terminal } = context;
    const chosen = ids.map((id) => idArgument('thread', id));
    const filter = filterBody(options);
    return withAgents(context, options, async (client) => {
      let count = 0;
      const wanted = chosen.length > 0 ? chosen : findMatching(client, filter, signal);
      const lines = exportThreads(client, wanted, {
        signal,
        skipMissing: chosen.length === 0,
        onThread: () => count++,
      });
      if (options.output === undefined) await terminal.data(archiveText(lines));
      else await writeArchive(lines, options.output);
      terminal.note(`Exported ${formatCount(count, 'thread')}.`);
    });
  });
}

/** Lists the IDs of matching threads, oldest first, so that threads created during the export come last. */
async function* findMatching(
  { threads }: Client,
  filter: ReturnType<typeof filterBody>,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const idOf = ({ thread_id }: { readonly thread_id?: string | undefined }) => thread_id;
  const pages = eachPage({ idOf, pageSize: PAGE_SIZE }, (page) =>
    threads.search(
      { body: { ...filter, ...page, sort_by: 'created_at', sort_order: 'asc', select: ['thread_id'] } },
      { signal },
    ),
  );
  for await (const page of pages) yield* page.flatMap((thread) => idOf(thread) ?? []);
}
