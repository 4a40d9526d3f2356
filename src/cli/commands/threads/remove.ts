import { Command } from 'commander';
import { formatCount } from '../../../process/format-count.ts';
import { type ResourceOptions, withAgents } from '../../agents/target.ts';
import { idArgument } from '../../arguments/json-arguments.ts';
import { confirmDeletion } from '../../terminal/confirm.ts';
import type { Context } from '../../terminal/context.ts';

/** The maximum number of threads per request. */
const MAX_THREADS_PER_REQUEST = 1_000;

export function deleteThreads(context: Context): Command {
  return new Command('delete')
    .description('delete threads with their states and runs')
    .argument('<threads...>', 'thread IDs')
    .option('--yes', 'skip the confirmation')
    .action(async (ids: string[], options: ResourceOptions & { readonly yes?: true }) => {
      const threadIds = ids.map((id) => idArgument('thread', id));
      await confirmDeletion(
        context,
        options,
        `${formatCount(threadIds.length, 'thread')} with all states and runs`,
      );
      await withAgents(context, options, async ({ threads }) => {
        for (const thread_id of threadIds) await threads.delete({ params: { thread_id } });
        context.terminal.note(`Deleted ${formatCount(threadIds.length, 'thread')}.`);
      });
    });
}

export function pruneThreads(context: Context): Command {
  return new Command('prune')
    .description('delete all checkpoints of threads except the latest and those that it depends on')
    .argument('<threads...>', 'thread IDs')
    .option('--yes', 'skip the confirmation')
    .action(async (ids: string[], options: ResourceOptions & { readonly yes?: true }) => {
      const threadIds = ids.map((id) => idArgument('thread', id));
      await confirmDeletion(context, options, `the history of ${formatCount(threadIds.length, 'thread')}`);
      await withAgents(context, options, async ({ threads }) => {
        let pruned = 0;
        for (let at = 0; at < threadIds.length; at += MAX_THREADS_PER_REQUEST) {
          const body = {
            thread_ids: threadIds.slice(at, at + MAX_THREADS_PER_REQUEST),
            strategy: 'keep_latest' as const,
          };
          pruned += (await threads.prune({ body })).pruned_count;
        }
        if (options.json) context.terminal.json({ pruned_count: pruned });
        else context.terminal.note(`Pruned ${formatCount(pruned, 'thread')}.`);
      });
    });
}
