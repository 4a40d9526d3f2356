import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { PurgeJob } from '../../contract/purging.ts';
import { formatCount } from '../../process/format-count.ts';
import { type PurgePlan, planPurge } from '../../purge/plan-purge.ts';
import { queuePurge } from '../../purge/queue-purge.ts';
import type { ProjectRef, PurgeScope } from '../../purge/scope.ts';
import { watchJobs } from '../../purge/watch-jobs.ts';
import { isoTime } from '../../terms/times.ts';
import { ageArgument, listArgument } from '../arguments/arguments.ts';
import { idArgument, pairArgument } from '../arguments/json-arguments.ts';
import { NextCommands } from '../render/next-commands.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../render/paging.ts';
import { JOB_COLUMNS, jobProgress } from '../render/purge-jobs.ts';
import { showResource } from '../render/resource.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { Failure, usage } from '../terminal/failure.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';
import { requireProject } from '../tracing/projects.ts';

interface PurgeOptions extends PlatformOptions {
  readonly project?: string;
  readonly ids?: readonly string[];
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  readonly olderThan?: number;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly yes?: true;
}

export function purgeCommand(context: Context): Command {
  const command = new Command('purge')
    .description('permanently delete traces with their content, feedback and statistics')
    .option('--project <name>', 'tracing project')
    .option('--ids <ids>', 'trace IDs, separated by commas; - reads standard input', listArgument)
    .option(
      '--metadata <key=value>',
      'traces with this metadata, repeatable (any of them matches)',
      pairArgument,
    )
    .option('--older-than <age>', 'traces that started longer ago than this, such as 30d', ageArgument)
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--wait', 'wait until the traces are deleted and the deletion is verified')
    .option('--yes', 'skip typing the project name');
  return addPlatformOptions(command)
    .action((options: PurgeOptions) => purge(context, options))
    .addCommand(jobsCommand(context))
    .addCommand(jobCommand(context));
}

async function purge(context: Context, options: PurgeOptions): Promise<void> {
  const { project: name } = options;
  if (name === undefined) throw usage('--project is required. agent-harbor projects lists the projects.');
  const scopeIn = await readScope(context, options);
  await withPlatform(context, options, async (client) => {
    const project = await requireProject(context, client, name);
    const plan = await planPurge(client, scopeIn(project), { signal: context.interrupted });
    if (options.dryRun) showPlan(context, plan, options);
    else if (plan.preview.traces === 0) context.terminal.note(`No matching traces.${textHint(options)}`);
    else {
      if (!options.yes) {
        await confirm(context, {
          question: `${countsText(plan)} will be permanently deleted. Type '${project.name}' to continue: `,
          expected: project.name,
          otherwise: 'Nothing was deleted.',
        });
      }
      await carryOut(context, client, plan, options);
    }
  });
}

/**
 * Says that a value was matched as a number, and how to match it as text. IDs in metadata that consist of digits are
 * often text.
 */
function textHint({ metadata = {} }: PurgeOptions): string {
  const typed = Object.entries(metadata).find(([, value]) => typeof value !== 'string');
  if (typed === undefined) return '';
  const [name, value] = typed;
  return ` ${name} was matched as a ${typeof value}. To match text, use --metadata '${name}="${value}"'.`;
}

/** Validates the command line before anything is started. @returns a function that makes the scope for a project */
async function readScope(
  { stdin }: Context,
  { ids, metadata, olderThan }: PurgeOptions,
): Promise<(project: ProjectRef) => PurgeScope> {
  if (ids === undefined && metadata === undefined && olderThan === undefined) {
    throw usage('Pass --ids, --metadata or --older-than to select traces; --older-than 0s selects all.');
  }
  if (ids !== undefined && (metadata !== undefined || olderThan !== undefined)) {
    throw usage('--ids already selects the traces. Omit --metadata and --older-than.');
  }
  const named = ids?.length === 1 && ids[0] === '-' ? (await text(stdin)).split(/[\s,]+/) : ids;
  const traceIds = named?.filter((id) => id !== '').map((id) => idArgument('trace', id));
  if (traceIds?.length === 0) throw usage('No trace ID on standard input.');
  if (traceIds !== undefined) return (project) => ({ kind: 'traces', project, traceIds });
  const before = olderThan === undefined ? undefined : isoTime(Date.now() - olderThan);
  if (metadata === undefined) return (project) => ({ kind: 'project', project, before });
  return (project) => ({ kind: 'metadata', project, metadata, before });
}

function showPlan({ terminal }: Context, plan: PurgePlan, options: PurgeOptions): void {
  if (options.json) {
    terminal.json({ dry_run: true, would_delete: countsOf(plan), requests: plan.requests.length });
  } else {
    const hint = plan.preview.traces === 0 ? textHint(options) : '';
    terminal.line(`${countsText(plan)} would be deleted. Nothing was touched.${hint}`);
  }
}

function countsOf({ preview: { traces, runs, feedback } }: PurgePlan) {
  return { traces, runs, feedback };
}

function countsText({ preview: { traces, runs, feedback } }: PurgePlan): string {
  const details = [
    ...(runs === undefined ? [] : [formatCount(runs, 'span')]),
    ...(feedback === undefined ? [] : [`${feedback.toLocaleString('en')} feedback`]),
  ];
  const number = formatCount(traces, 'trace');
  return details.length === 0 ? number : `${number} (${details.join(', ')})`;
}

async function carryOut(
  context: Context,
  client: Client,
  plan: PurgePlan,
  options: PurgeOptions,
): Promise<void> {
  const { terminal, interrupted: signal } = context;
  const next = new NextCommands(options);
  const total = plan.requests.length;
  const { sent, jobIds, error } = await queuePurge(client, plan, {
    signal,
    onSent: (sent) => terminal.note(`Queued ${sent} of ${total} request${total === 1 ? '' : 's'}.`),
  });
  if (sent < total) {
    // Requests that were sent are still carried out, so name their jobs.
    for (const id of jobIds) terminal.note(`Queued: ${next.purgeJob(id)}`);
    throw error ?? signal.reason;
  }
  if (!plan.hasJobs) {
    // Only Agent Harbor reports progress.
    terminal.note('The platform deletes them later and does not report when it is done.');
    if (options.json) terminal.json({ status: 'queued', traces: plan.preview.traces });
    return;
  }
  if (!options.wait) {
    if (options.json) terminal.json({ status: 'queued', job_ids: jobIds });
    else for (const id of jobIds) terminal.line(`Queued: ${next.purgeJob(id)}`);
    return;
  }
  const jobs: PurgeJob[] = [];
  for (const id of jobIds) jobs.push(await waitVisibly(context, client, id));
  if (options.json) terminal.json({ status: 'verified', jobs });
  else {
    const traces = jobs.reduce((sum, { deleted }) => sum + deleted, 0);
    const runs = jobs.reduce((sum, { deleted_runs }) => sum + deleted_runs, 0);
    terminal.line(
      `Verified: ${formatCount(traces, 'trace')} with ${formatCount(runs, 'span')} deleted, no data remains.`,
    );
  }
}

/** Shows the progress of a job until it has verified that nothing is left. @throws Failure when the job failed */
async function waitVisibly(
  { terminal, interrupted: signal }: Context,
  client: Client,
  id: string,
): Promise<PurgeJob> {
  let shown = '';
  for await (const [job] of watchJobs(client, [id], signal)) {
    if (job === undefined) break;
    if (job.status === 'verified') return job;
    if (job.status === 'failed')
      throw new Failure(`The purge ${id} failed${job.error ? `: ${job.error}` : '.'}`);
    const progress = jobProgress(job);
    if (progress !== shown) terminal.note(progress);
    shown = progress;
  }
  throw new Failure(
    `The platform no longer knows the purge ${id}. List purges with agent-harbor purge jobs.`,
  );
}

function jobsCommand(context: Context): Command {
  const command = new Command('jobs').description('list purges and their progress, newest first');
  return addPageOptions(addPlatformOptions(command)).action((options: PlatformOptions & PageOptions) =>
    withPlatform(context, options, async ({ purging }) => {
      const page = await readPages(options, 100, ({ limit, offset }) =>
        purging.listJobs({ query: { limit, offset } }, { signal: context.interrupted }),
      );
      showPage(context, page, JOB_COLUMNS, { ...options, empty: 'No purges yet.' });
    }),
  );
}

interface JobOptions extends PlatformOptions {
  readonly wait?: true;
}

function jobCommand(context: Context): Command {
  const command = new Command('job')
    .description('show a purge')
    .argument('<job>', 'ID')
    .option('--wait', 'wait until the traces are deleted and the deletion is verified');
  return addPlatformOptions(command).action((id: string, options: JobOptions) => {
    const job_id = idArgument('purge', id);
    return withPlatform(context, options, async (client) =>
      showResource(
        context,
        options,
        await (options.wait
          ? waitVisibly(context, client, job_id)
          : client.purging.getJob({ params: { job_id } })),
      ),
    );
  });
}
