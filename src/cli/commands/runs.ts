import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { readErrorStack } from '../../client/read-error-stack.ts';
import { RunProgress } from '../../client/run-progress.ts';
import { type Run, RunStatus, type runs } from '../../contract/agent-server/runs.ts';
import type { AnswerRead } from '../../contract/endpoint.ts';
import { isObject } from '../../process/objects.ts';
import { millisecondsBetween } from '../../terms/times.ts';
import { findAssistant } from '../agents/find-assistant.ts';
import { streamModeOption, streamModes } from '../agents/stream-modes.ts';
import { addResourceCommands, type ResourceOptions, withAgents } from '../agents/target.ts';
import { costArgument, readTextArgument } from '../arguments/arguments.ts';
import { idArgument, jsonArgument, objectArgument, pairArgument } from '../arguments/json-arguments.ts';
import { NextCommands } from '../render/next-commands.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../render/paging.ts';
import { showResource } from '../render/resource.ts';
import { paintStatus } from '../render/status.ts';
import type { Column } from '../render/table.ts';
import { durationText, localTime } from '../render/time.ts';
import { exitCodeOf, type RunEnd, type RunRef, readEarlierRunEnd } from '../runs/run-end.ts';
import { followRun } from '../runs/run-in-terminal.ts';
import { noteNext } from '../runs/show-end.ts';
import { confirmDeletion } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { endWith } from '../terminal/failure.ts';

type Listed = AnswerRead<typeof runs.list>[number];

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'RUN', cell: ({ run_id = '' }) => run_id },
  { title: 'STATUS', cell: ({ status = '' }) => status, paint: paintStatus },
  { title: 'CREATED', cell: ({ created_at }) => localTime(created_at) },
  { title: 'TOOK', cell: elapsedText },
  { title: 'ASSISTANT', cell: ({ assistant_id = '' }) => assistant_id },
];

export function runsCommand(context: Context): Command {
  const command = new Command('runs').description('runs of a thread; start one with agent-harbor run');
  return addResourceCommands(command, context, [list, get, create, follow, join, cancel, remove]);
}

function list(context: Context): Command {
  const command = new Command('list')
    .description('list the runs of a thread, newest first')
    .argument('<thread>', 'ID')
    .addOption(new Option('--status <status>', 'only with this status').choices(RunStatus.options));
  return addPageOptions(command).action(
    (id: string, options: ResourceOptions & PageOptions & { status?: RunStatus }) => {
      const params = { thread_id: idArgument('thread', id) };
      const { status } = options;
      return withAgents(context, options, async ({ runs }) => {
        const page = await readPages(options, 1_000, ({ limit, offset }, { onAnswer }) =>
          runs.list(
            { params, query: { limit, offset, ...(status === undefined ? {} : { status }) } },
            { signal: context.interrupted, onAnswer },
          ),
        );
        showPage(context, page, COLUMNS, { ...options, empty: 'No matching runs.' });
      });
    },
  );
}

/** Makes a command with the arguments `<thread>` and `<run>`. */
function runCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<thread>', 'thread ID')
    .argument('<run>', 'run ID');
}

function paramsOf(thread: string, run: string) {
  return { thread_id: idArgument('thread', thread), run_id: idArgument('run', run) };
}

function get(context: Context): Command {
  return runCommand('get', 'show a run').action((thread: string, run: string, options: ResourceOptions) => {
    const params = paramsOf(thread, run);
    return withAgents(context, options, async ({ runs }) =>
      showResource(context, options, await runs.get({ params })),
    );
  });
}

interface CreateOptions extends ResourceOptions {
  readonly input: string;
  readonly thread?: string;
  readonly context?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly webhook?: string;
  readonly streamMode?: readonly string[];
  readonly maxCost?: number;
}

function create(context: Context): Command {
  return new Command('create')
    .description('start a run in the background')
    .argument('<assistant>', 'graph, or ID or name of an assistant')
    .requiredOption('--input <json>', 'input of the run; - reads standard input')
    .option('--thread <id>', 'continue this thread (default: a new thread)')
    .addOption(streamModeOption())
    .option('--context <json>', 'context of the run')
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument)
    .option('--webhook <url>', 'URL to call when the run ends')
    .option('--max-cost <dollars>', 'end the run after the model call that reaches this cost', costArgument)
    .action(async (assistant: string, options: CreateOptions) => {
      const { thread, webhook, metadata, maxCost } = options;
      const fields = {
        input: jsonArgument('--input', await readTextArgument(options.input, context.stdin)),
        // With these three fields, `runs follow` shows the same as a run in the foreground.
        stream_mode: streamModes(options.streamMode),
        stream_subgraphs: true,
        stream_resumable: true,
        ...(options.context === undefined ? {} : { context: objectArgument('--context', options.context) }),
        ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
        ...(webhook === undefined ? {} : { webhook }),
        ...(maxCost === undefined ? {} : { max_cost: maxCost }),
      };
      const given = thread === undefined ? undefined : idArgument('thread', thread);
      await withAgents(context, options, async (client) => {
        // The thread is created with the run, so a refused run leaves no thread behind.
        const thread_id = given ?? randomUUID();
        const body = {
          ...fields,
          assistant_id: await findAssistant(client, assistant, context.interrupted),
          ...(given === undefined ? { if_not_exists: 'create' as const } : {}),
        };
        showResource(context, options, summary(await client.runs.create({ params: { thread_id }, body })));
      });
    });
}

function follow(context: Context): Command {
  return runCommand('follow', 'stream the output of a run from its start').action(
    (thread: string, run: string, options: ResourceOptions) => {
      const params = paramsOf(thread, run);
      return withAgents(context, options, async (client) => {
        const stream = await client.runs.joinStream(
          { params },
          // Before the first event, so that the whole stream is sent.
          { signal: context.interrupted, headers: { 'last-event-id': '-1' } },
        );
        const json = options.json === true;
        const next = new NextCommands(options);
        const ended = await followRun(context, client, stream, { json, run: params, next });
        await finish(context, client, { ...ended, run: params, options });
      });
    },
  );
}

function join(context: Context): Command {
  return runCommand('join', 'wait for a run and show its final values').action(
    (thread: string, run: string, options: ResourceOptions) => {
      const params = paramsOf(thread, run);
      return withAgents(context, options, async (client) => {
        const { interrupted: signal } = context;
        const values = await client.runs.join({ params }, { signal });
        showResource(context, options, isObject(values) ? values : { values });
        // Nothing was streamed, so the progress is empty.
        const end = await readEarlierRunEnd(client, params, new RunProgress(), signal);
        const hasTrace =
          end.kind === 'failed' && (await readErrorStack(client, params.run_id, signal)) !== undefined;
        await finish(context, client, { end, hasTrace, run: params, options });
      });
    },
  );
}

interface FinishedRun {
  readonly end: RunEnd;
  readonly hasTrace: boolean;
  readonly run: RunRef;
  readonly options: ResourceOptions;
}

/** Notes the next commands after a run, and ends with the exit code for how it ended. @throws Ended */
async function finish(
  { terminal }: Context,
  client: Client,
  { end, hasTrace, run, options }: FinishedRun,
): Promise<void> {
  if (!options.json && end.kind !== 'done' && end.kind !== 'cancelled') {
    const { assistant_id: assistant } = await client.runs.get({ params: run });
    noteNext(terminal, end, {
      assistant,
      threadId: run.thread_id,
      runId: run.run_id,
      hasTrace,
      next: new NextCommands(options),
    });
  }
  endWith(exitCodeOf(end));
}

function cancel(context: Context): Command {
  return runCommand('cancel', 'cancel a run')
    .option('--rollback', 'also delete the run and its checkpoints')
    .action((thread: string, run: string, options: ResourceOptions & { rollback?: true }) => {
      const params = paramsOf(thread, run);
      return withAgents(context, options, async ({ runs }) => {
        const action = options.rollback ? 'rollback' : 'interrupt';
        await runs.cancel({ params, query: { wait: true, action } }, { signal: context.interrupted });
        context.terminal.note(`Canceled run ${params.run_id}.`);
      });
    });
}

function remove(context: Context): Command {
  return runCommand('delete', 'delete a run that has ended')
    .option('--yes', 'skip the confirmation')
    .action(async (thread: string, run: string, options: ResourceOptions & { yes?: true }) => {
      const params = paramsOf(thread, run);
      await confirmDeletion(context, options, `run ${params.run_id}`);
      await withAgents(context, options, async ({ runs }) => {
        await runs.delete({ params });
        context.terminal.note(`Deleted run ${params.run_id}.`);
      });
    });
}

function summary({ run_id, thread_id, assistant_id, status, created_at, metadata }: Run) {
  return { run_id, thread_id, assistant_id, status, created_at, metadata };
}

function elapsedText({ status, created_at, updated_at }: Listed): string {
  if (status === 'pending' || status === 'running') return '';
  return durationText(millisecondsBetween(created_at, updated_at));
}
