import { Command } from 'commander';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { type ResourceOptions, withAgents } from '../../agents/target.ts';
import { readTextArgument } from '../../arguments/arguments.ts';
import { idArgument, jsonArgument } from '../../arguments/json-arguments.ts';
import { oneLine } from '../../render/one-line.ts';
import { countArgument, showPage } from '../../render/paging.ts';
import { showResource } from '../../render/resource.ts';
import type { Column } from '../../render/table.ts';
import { localTime } from '../../render/time.ts';
import type { Context } from '../../terminal/context.ts';

const MAX_STATES = 1_000;

const COLUMNS: readonly Column<ThreadState>[] = [
  { title: 'CHECKPOINT', cell: ({ checkpoint }) => checkpoint.checkpoint_id ?? '' },
  { title: 'STEP', cell: ({ metadata }) => String(metadata?.step ?? '') },
  { title: 'SOURCE', cell: ({ metadata }) => String(metadata?.source ?? '') },
  { title: 'NEXT', cell: ({ next }) => next.join(', '), flexible: true },
  { title: 'CREATED', cell: ({ created_at }) => localTime(created_at) },
  { title: 'VALUES', cell: ({ values }) => oneLine(values), flexible: true },
];

export function threadState(context: Context): Command {
  return new Command('state')
    .description('show the latest or an earlier state of a thread')
    .argument('<thread>', 'ID')
    .option('--checkpoint <id>', 'state at this checkpoint')
    .option('--subgraphs', 'include the states of subgraphs')
    .action((id: string, options: ResourceOptions & { checkpoint?: string; subgraphs?: true }) => {
      const thread_id = idArgument('thread', id);
      const query = { subgraphs: options.subgraphs === true };
      const { checkpoint } = options;
      return withAgents(context, options, async ({ threads }) => {
        const state = await (checkpoint === undefined
          ? threads.getState({ params: { thread_id }, query })
          : threads.getStateAt({ params: { thread_id, checkpoint_id: checkpoint }, query }));
        showResource(context, options, state);
      });
    });
}

export function threadHistory(context: Context): Command {
  return new Command('history')
    .description('list the states of a thread, newest first')
    .argument('<thread>', 'ID')
    .option('--limit <number>', 'maximum number of results', countArgument, 20)
    .option('--before <checkpoint>', 'only states before this checkpoint')
    .action((id: string, options: ResourceOptions & { limit: number; before?: string }) => {
      const params = { thread_id: idArgument('thread', id) };
      return withAgents(context, options, async ({ threads }) => {
        const rows: ThreadState[] = [];
        let { before } = options;
        while (rows.length < options.limit) {
          const limit = Math.min(MAX_STATES, options.limit - rows.length);
          const states = await threads.history(
            { params, body: { limit, ...(before === undefined ? {} : { before }) } },
            { signal: context.interrupted },
          );
          rows.push(...states);
          before = states.at(-1)?.checkpoint.checkpoint_id ?? undefined;
          if (states.length < limit) break;
        }
        showPage(context, { rows, total: undefined }, COLUMNS, {
          json: options.json,
          empty: 'No states yet.',
        });
      });
    });
}

interface UpdateOptions extends ResourceOptions {
  readonly values: string;
  readonly asNode?: string;
  readonly checkpoint?: string;
}

export function updateThreadState(context: Context): Command {
  return new Command('update-state')
    .description('update the state of a thread, as a node would')
    .argument('<thread>', 'ID')
    .requiredOption('--values <json>', 'values to write; - reads standard input')
    .option('--as-node <name>', 'write as this node')
    .option('--checkpoint <id>', 'fork from this earlier state')
    .action(async (id: string, options: UpdateOptions) => {
      const params = { thread_id: idArgument('thread', id) };
      const values = jsonArgument('--values', await readTextArgument(options.values, context.stdin));
      const { asNode, checkpoint } = options;
      const body = {
        values,
        ...(asNode === undefined ? {} : { as_node: asNode }),
        ...(checkpoint === undefined ? {} : { checkpoint_id: checkpoint }),
      };
      await withAgents(context, options, async ({ threads }) =>
        showResource(context, options, (await threads.updateState({ params, body })).checkpoint),
      );
    });
}
