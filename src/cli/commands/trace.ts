import { Command } from 'commander';
import { interruptedSpans } from '../../client/span-outcome.ts';
import { connectToPlatform } from '../agent-connection.ts';
import { dataDirOption, idArgument } from '../arguments.ts';
import type { Context } from '../context.ts';
import { traceLines } from '../render/trace-tree.ts';

interface TraceOptions {
  readonly dataDir?: string;
  readonly json?: true;
}

export function traceCommand(context: Context): Command {
  return new Command('trace')
    .description('show a trace as a tree, with its feedback')
    .argument('<id>', "the trace's ID, which is also its run's")
    .addOption(dataDirOption())
    .option('--json', 'print it as JSON')
    .action((id: string, options: TraceOptions) => trace(context, id, options));
}

async function trace(context: Context, id: string, options: TraceOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  const traceId = idArgument('trace', id);
  const session = await connectToPlatform(context, { ...options, client: 'agent-harbor trace' });
  try {
    const { runs, feedback } = session.client.tracing;
    const root = await runs.tree({ params: { trace_id: traceId } }, { signal });
    const given = await feedback.list({ query: { run: [traceId] } }, { signal });
    if (options.json) terminal.line(JSON.stringify({ ...root, feedback: given }));
    else {
      const interrupted = await interruptedSpans(session.client, root, { signal });
      for (const line of traceLines(root, given, terminal.colors, interrupted)) terminal.line(line);
    }
  } finally {
    await session.close();
  }
}
