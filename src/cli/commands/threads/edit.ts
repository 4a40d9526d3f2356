import { Command } from 'commander';
import { type ResourceOptions, withAgents } from '../../agents/target.ts';
import { ttlArgument } from '../../arguments/arguments.ts';
import { idArgument, pairArgument } from '../../arguments/json-arguments.ts';
import { showResource } from '../../render/resource.ts';
import type { Context } from '../../terminal/context.ts';
import { usage } from '../../terminal/failure.ts';

interface ThreadFields {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The time to live, in minutes. */
  readonly ttl?: number;
}

function addFields(command: Command): Command {
  return command
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument)
    .option('--ttl <age>', 'time to live, such as 12h or 30d', ttlArgument);
}

function bodyOf({ metadata, ttl }: ThreadFields) {
  return {
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(ttl === undefined ? {} : { ttl }),
  };
}

export function createThread(context: Context): Command {
  const command = new Command('create')
    .description('create an empty thread')
    .option('--id <id>', 'thread ID (default: a new ID)')
    .option('--graph <id>', 'graph of the thread, needed to set its state before the first run');
  return addFields(command).action(
    (options: ResourceOptions & ThreadFields & { readonly id?: string; readonly graph?: string }) => {
      const { id, graph } = options;
      const ofGraph = graph === undefined ? {} : { graph_id: graph };
      const metadata = { ...options.metadata, ...ofGraph };
      const body = bodyOf({ ...options, metadata });
      return withAgents(context, options, async ({ threads }) =>
        showResource(
          context,
          options,
          await threads.create({
            body: {
              ...body,
              ...(id === undefined ? {} : { thread_id: idArgument('thread', id) }),
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
  return addFields(command).action((id: string, options: ResourceOptions & ThreadFields) => {
    const params = { thread_id: idArgument('thread', id) };
    const body = bodyOf(options);
    if (Object.keys(body).length === 0) throw usage('Nothing to change. Pass --metadata or --ttl.');
    return withAgents(context, options, async ({ threads }) =>
      showResource(context, options, (await threads.update({ params, body })) ?? params),
    );
  });
}

export function copyThread(context: Context): Command {
  return new Command('copy')
    .description('copy a thread with its history')
    .argument('<thread>', 'ID')
    .action((id: string, options: ResourceOptions) => {
      const params = { thread_id: idArgument('thread', id) };
      return withAgents(context, options, async ({ threads }) =>
        showResource(context, options, await threads.copy({ params })),
      );
    });
}
