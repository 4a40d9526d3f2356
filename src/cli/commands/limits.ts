import { Command, InvalidArgumentError } from 'commander';
import type { TtlSettings } from '../../contract/purging.ts';
import type { WorkspaceLimits } from '../../contract/workspace-limits.ts';
import type { Context } from '../terminal/context.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

/** The word that removes a limit. */
const NONE = 'none';

/** The value of an option that sets or removes a limit. */
type Limit = number | typeof NONE;

interface LimitsOptions extends PlatformOptions {
  readonly unfinishedRuns?: Limit;
  readonly threads?: Limit;
  readonly storageBytes?: Limit;
  readonly ingestionsPerMinute?: Limit;
  readonly ingestionBytes?: Limit;
  readonly auditDays?: Limit;
  readonly traceDays?: number;
}

export function limitsCommand(context: Context): Command {
  const command = new Command('limits')
    .description('show or set the limits of a workspace, and how long its traces are kept')
    .option('--unfinished-runs <number>', 'maximum number of unfinished runs, or "none"', readLimit)
    .option('--threads <number>', 'maximum number of threads, or "none"', readLimit)
    .option(
      '--storage-bytes <number>',
      'maximum bytes of threads, stores, traces and datasets, or "none"',
      readLimit,
    )
    .option(
      '--ingestions-per-minute <number>',
      'maximum number of trace requests per minute and server, or "none"',
      readLimit,
    )
    .option('--ingestion-bytes <number>', 'maximum size of such a request in bytes, or "none"', readLimit)
    .option('--audit-days <number>', 'days to keep the audit log, or "none" to keep it forever', readLimit)
    .option('--trace-days <number>', 'days to keep new traces', readPositive);
  return addPlatformOptions(command).action((options: LimitsOptions) => limits(context, options));
}

function limits(context: Context, options: LimitsOptions): Promise<void> {
  const { terminal, interrupted: signal } = context;
  const { unfinishedRuns, threads, storageBytes, ingestionsPerMinute, ingestionBytes, auditDays, traceDays } =
    options;
  const body = bodyOf({
    max_unfinished_runs: unfinishedRuns,
    max_threads: threads,
    max_storage_bytes: storageBytes,
    max_ingestions_per_minute: ingestionsPerMinute,
    max_ingestion_bytes: ingestionBytes,
    audit_days: auditDays,
  });
  return withPlatform(context, options, async ({ workspaceLimits, purging }) => {
    const now =
      Object.keys(body).length === 0
        ? await workspaceLimits.get({}, { signal })
        : await workspaceLimits.set({ body }, { signal });
    const [kept] = await purging.listTtl({}, { signal });
    const ttl =
      traceDays === undefined ? kept : await purging.putTtl({ body: daysOf(traceDays, kept) }, { signal });
    if (options.json) terminal.json({ ...now, trace_days: ttl?.shortlived_ttl_days ?? null });
    else for (const line of linesOf(now, ttl)) terminal.line(line);
  });
}

/** Returns the limits to change; null removes a limit. */
function bodyOf(given: Readonly<Record<keyof WorkspaceLimits, Limit | undefined>>): Partial<WorkspaceLimits> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, limit]) =>
      limit === undefined ? [] : [[name, limit === NONE ? null : limit]],
    ),
  );
}

/** Returns the days to keep traces. Those under extended retention are kept at least as long as the others. */
function daysOf(days: number, kept: TtlSettings | undefined) {
  const isLonger = kept !== undefined && days > kept.longlived_ttl_days;
  return { shortlived_ttl_days: days, ...(isLonger ? { longlived_ttl_days: days } : {}) };
}

function linesOf(limits: WorkspaceLimits, ttl: TtlSettings | undefined): string[] {
  const text = (value: number | null) => (value === null ? 'no limit' : String(value));
  return [
    `Unfinished runs:        ${text(limits.max_unfinished_runs)}`,
    `Threads:                ${text(limits.max_threads)}`,
    `Stored bytes:           ${text(limits.max_storage_bytes)}`,
    `Ingestions per minute:  ${text(limits.max_ingestions_per_minute)}`,
    `Bytes per ingestion:    ${text(limits.max_ingestion_bytes)}`,
    `Audit log retention:    ${limits.audit_days === null ? 'forever' : `${limits.audit_days} days`}`,
    ...(ttl === undefined ? [] : [`Trace retention:        ${ttl.shortlived_ttl_days} days`]),
  ];
}

/**
 * Reads a limit. Commander treats null as an option without a value, so `none` is not replaced by null here.
 */
function readLimit(text: string): Limit {
  return text === NONE ? NONE : readPositive(text);
}

function readPositive(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Must be a whole number of at least 1.');
}
