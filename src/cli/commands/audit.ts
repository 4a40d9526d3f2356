import { Command } from 'commander';
import { AuditEvent } from '../../contract/audit.ts';
import { isoTime } from '../../terms/times.ts';
import { ageArgument } from '../arguments/arguments.ts';
import { countArgument, showPage } from '../render/paging.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';
import type { Context } from '../terminal/context.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

const COLUMNS: readonly Column<AuditEvent>[] = [
  { title: 'TIME', cell: ({ at }) => localTime(at) },
  { title: 'ACTION', cell: ({ action }) => action },
  { title: 'BY', cell: ({ actor, actor_name }) => actor_name ?? actor, flexible: true },
  { title: 'ABOUT', cell: ({ subject }) => JSON.stringify(subject), flexible: true },
  { title: 'STATUS', cell: ({ status }) => (status === null ? 'interrupted' : String(status)) },
];

interface AuditOptions extends PlatformOptions {
  readonly since?: number;
  readonly action?: string;
  readonly limit: number;
  readonly all?: true;
}

export function auditCommand(context: Context): Command {
  const command = new Command('audit')
    .description('show who changed keys, deployments, secrets, limits and retention, and who purged traces')
    .option('--since <age>', 'only actions within this time, such as 30d', ageArgument)
    .option('--action <name>', 'only this action, such as key.create')
    .option('--limit <number>', 'maximum number of results, newest first', countArgument, 50)
    .option('--all', 'all results');
  return addPlatformOptions(command).action((options: AuditOptions) => show(context, options));
}

function show(context: Context, options: AuditOptions): Promise<void> {
  const { since, action, limit, all } = options;
  const query = {
    ...(since === undefined ? {} : { since: isoTime(Date.now() - since) }),
    ...(action === undefined ? {} : { action }),
    ...(all ? {} : { limit }),
  };
  return withPlatform(context, options, async ({ audit }) => {
    const { bytes } = await audit.list({ query }, { signal: context.interrupted });
    const lines = Buffer.from(bytes).toString('utf8').split('\n');
    const events = lines.filter((line) => line !== '').map((line) => AuditEvent.parse(JSON.parse(line)));
    if (options.json) for (const event of events) context.terminal.json(event);
    else
      showPage(context, { rows: events, total: undefined }, COLUMNS, {
        ...options,
        offset: 0,
        empty: 'No actions yet.',
      });
  });
}
