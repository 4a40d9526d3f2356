import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { spanErrors } from '../../client/span-outcome.ts';
import { readTraceTree } from '../../client/trace-tree.ts';
import type { Context } from '../context.ts';
import { idArgument } from '../json-arguments.ts';
import { traceLines } from '../render/trace-tree.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

export function traceCommand(context: Context): Command {
  const command = new Command('trace')
    .description('show a trace as a tree, with its feedback')
    .argument('<id>', "the trace's ID, which is also its run's");
  return addPlatformOptions(command).action((id: string, options: PlatformOptions) => {
    const traceId = idArgument('trace', id);
    return withPlatform(context, options, (client) => trace(context, client, traceId, options));
  });
}

async function trace(
  { terminal, interrupted: signal }: Context,
  client: Client,
  traceId: string,
  options: PlatformOptions,
): Promise<void> {
  const root = await readTraceTree(client, traceId, { signal });
  const given = await client.tracing.feedback.list({ query: { run: [traceId] } }, { signal });
  if (options.json) {
    terminal.line(JSON.stringify({ ...root, feedback: given }));
    return;
  }
  const errors = await spanErrors(client, root, { signal });
  for (const line of traceLines(root, given, terminal.colors, errors)) terminal.line(line);
}
