import { Command } from 'commander';
import type { Client } from '../../../client/client.ts';
import { followTraces, type ListedTrace, listTraces, type TraceQuery } from '../../../client/traces.ts';
import { isoTime } from '../../../terms/times.ts';
import { ageArgument, listArgument } from '../../arguments/arguments.ts';
import { pairArgument } from '../../arguments/json-arguments.ts';
import { countArgument, showPage } from '../../render/paging.ts';
import { TRACE_COLUMNS, traceLine } from '../../render/traces.ts';
import type { Context } from '../../terminal/context.ts';
import { collect } from '../../tracing/collect.ts';
import { type FilterOptions, filterExpression } from '../../tracing/filter.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { chooseProject } from '../../tracing/projects.ts';
import { exportCommand, importCommand } from './files.ts';

interface TracesOptions extends PlatformOptions, FilterOptions {
  readonly project?: string;
  readonly follow?: true;
  readonly error?: true;
  readonly since?: number;
  readonly limit: number;
  readonly all?: true;
}

export function tracesCommand(context: Context): Command {
  const command = new Command('traces')
    .description('list traces, newest first')
    .option(
      '--project <name>',
      'tracing project (default: that of the agent in this folder, or the one with the newest trace)',
    )
    .option('--follow', 'follow new traces until Ctrl-C')
    .option('--filter <expression>', `filter expression, such as 'gt(latency, "5s")'`)
    .option('--error', 'only failed traces')
    .option('--name <name>', 'only traces with this name')
    .option('--search <words>', 'only with these words in inputs or outputs')
    .option('--tag <tag>', 'only with this tag, repeatable', listArgument)
    .option('--metadata <key=value>', 'only with this metadata, repeatable', pairArgument)
    .option('--since <age>', 'only traces that started within this time, such as 2h or 7d', ageArgument)
    .option('--limit <number>', 'maximum number of results', countArgument, 20)
    .option('--all', 'all results');
  return addPlatformOptions(command)
    .action((options: TracesOptions) =>
      withPlatform(context, options, (client) => traces(context, client, options)),
    )
    .addCommand(importCommand(context))
    .addCommand(exportCommand(context));
}

async function traces(context: Context, client: Client, options: TracesOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  const project = await chooseProject(context, client, options);
  if (options.project === undefined && !options.json) {
    terminal.note(terminal.errorColors.dim(`Project ${project.name}. Use --project for another one.`));
  }
  const query: TraceQuery = {
    sessionId: project.id,
    filter: filterExpression(options),
    since: options.since === undefined ? undefined : isoTime(Date.now() - options.since),
    error: options.error,
  };
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  const rows = await collect(listTraces(client, query, { signal, limit }));
  if (!options.follow) {
    showPage(context, { rows, total: undefined }, TRACE_COLUMNS, {
      json: options.json,
      empty: 'No matching traces.',
    });
    return;
  }
  const show = (trace: ListedTrace) =>
    options.json ? terminal.json(trace) : terminal.line(traceLine(trace, terminal.colors, terminal.fitWidth));
  for (const trace of rows.toReversed()) show(trace);
  for await (const trace of followTraces(client, query, { signal, seen: rows })) show(trace);
}
