import { Command } from 'commander';
import type { crons } from '../../contract/agent-server/crons.ts';
import type { AnswerRead } from '../../contract/endpoint.ts';
import { findAssistant } from '../agents/find-assistant.ts';
import { addResourceCommands, type ResourceOptions, withAgents } from '../agents/target.ts';
import { readTextArgument } from '../arguments/arguments.ts';
import { idArgument, jsonArgument, objectArgument, pairArgument } from '../arguments/json-arguments.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../render/paging.ts';
import { showResource } from '../render/resource.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';
import { confirmDeletion } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface CronFields {
  readonly schedule?: string;
  readonly timezone?: string;
  readonly endTime?: string;
  readonly input?: string;
  readonly context?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly webhook?: string;
}

type Listed = AnswerRead<typeof crons.search>[number];

const SCHEDULE = "schedule: five fields, such as '0 9 * * 1-5', or six with seconds first";
const TIME_ZONE = 'time zone of the schedule, such as Europe/Berlin';

const COLUMNS: readonly Column<Listed>[] = [
  { title: 'CRON', cell: ({ cron_id = '' }) => cron_id },
  { title: 'SCHEDULE', cell: ({ schedule = '' }) => schedule },
  { title: 'TIME ZONE', cell: ({ timezone }) => timezone ?? '' },
  {
    title: 'NEXT',
    cell: ({ enabled, next_run_date }) => (enabled === false ? 'disabled' : localTime(next_run_date)),
    paint: (text, { enabled }, { dim }) => (enabled === false ? dim(text) : text),
  },
  { title: 'ASSISTANT', cell: ({ assistant_id }) => assistant_id ?? '' },
  { title: 'THREAD', cell: ({ thread_id }) => thread_id ?? '' },
];

export function cronsCommand(context: Context): Command {
  const command = new Command('crons').description(
    'runs that start on a schedule while the server is running',
  );
  return addResourceCommands(command, context, [list, get, create, update, enable, disable, remove]);
}

function list(context: Context): Command {
  const command = new Command('list')
    .description('list crons, next run first')
    .option('--assistant <id>', 'only crons of this assistant or graph')
    .option('--thread <id>', 'only crons of this thread')
    .option('--metadata <key=value>', 'only with this metadata, repeatable', pairArgument);
  return addPageOptions(command).action(
    (options: ResourceOptions & PageOptions & { assistant?: string; thread?: string; metadata?: object }) => {
      const { assistant, thread, metadata } = options;
      const body = {
        assistant_id: assistant,
        thread_id: thread === undefined ? undefined : idArgument('thread', thread),
        metadata: metadata === undefined ? undefined : { ...metadata },
      };
      return withAgents(context, options, async ({ crons }) => {
        const page = await readPages(options, 1_000, (paging, { onAnswer }) =>
          crons.search(
            { body: { ...body, ...paging, sort_by: 'next_run_date', sort_order: 'asc' } },
            { signal: context.interrupted, onAnswer },
          ),
        );
        showPage(context, page, COLUMNS, { ...options, empty: 'No matching crons.' });
      });
    },
  );
}

function cronCommand(name: string, description: string): Command {
  return new Command(name).description(description).argument('<cron>', 'ID');
}

function get(context: Context): Command {
  return cronCommand('get', 'show a cron').action((id: string, options: ResourceOptions) => {
    const params = { cron_id: idArgument('cron', id) };
    return withAgents(context, options, async ({ crons }) =>
      showResource(context, options, await crons.get({ params })),
    );
  });
}

function addFields(command: Command): Command {
  return command
    .option('--end-time <time>', 'no runs after this time, in ISO 8601')
    .option('--input <json>', 'input of the runs; - reads standard input')
    .option('--context <json>', 'context of the runs')
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument)
    .option('--webhook <url>', 'URL to call when a run ends');
}

async function readBody({ stdin }: Context, fields: CronFields) {
  const { timezone, endTime, input, context, metadata, webhook } = fields;
  return {
    ...(timezone === undefined ? {} : { timezone }),
    ...(endTime === undefined ? {} : { end_time: endTime }),
    ...(input === undefined ? {} : { input: jsonArgument('--input', await readTextArgument(input, stdin)) }),
    ...(context === undefined ? {} : { context: objectArgument('--context', context) }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(webhook === undefined ? {} : { webhook }),
  };
}

interface CreateOptions extends ResourceOptions, CronFields {
  readonly schedule: string;
  readonly thread?: string;
}

function create(context: Context): Command {
  const command = new Command('create')
    .description('run an assistant on a schedule')
    .argument('<assistant>', 'graph, or ID or name of an assistant')
    .requiredOption('--schedule <cron>', SCHEDULE)
    .option('--thread <id>', 'run on this thread (default: a new thread for each run)')
    .option('--timezone <name>', `${TIME_ZONE} (default: UTC)`);
  return addFields(command).action(async (assistant: string, options: CreateOptions) => {
    const fields = { ...(await readBody(context, options)), schedule: options.schedule };
    const thread = options.thread === undefined ? undefined : idArgument('thread', options.thread);
    await withAgents(context, options, async (client) => {
      const body = { ...fields, assistant_id: await findAssistant(client, assistant, context.interrupted) };
      const { crons } = client;
      const cron = await (thread === undefined
        ? crons.create({ body })
        : crons.createForThread({ params: { thread_id: thread }, body }));
      showResource(context, options, cron);
    });
  });
}

function update(context: Context): Command {
  const command = cronCommand('update', 'change a cron; fields that you do not pass stay unchanged')
    .option('--schedule <cron>', SCHEDULE)
    .option('--timezone <name>', TIME_ZONE);
  return addFields(command).action(async (id: string, options: ResourceOptions & CronFields) => {
    const params = { cron_id: idArgument('cron', id) };
    const { schedule } = options;
    const body = { ...(await readBody(context, options)), ...(schedule === undefined ? {} : { schedule }) };
    if (Object.keys(body).length === 0) throw usage('Nothing to change. Pass an option such as --schedule.');
    await withAgents(context, options, async ({ crons }) =>
      showResource(context, options, await crons.update({ params, body })),
    );
  });
}

function enable(context: Context): Command {
  return switchCommand(context, { name: 'enable', description: 'resume a cron', enabled: true });
}

function disable(context: Context): Command {
  return switchCommand(context, {
    name: 'disable',
    description: 'pause a cron, so that it starts no runs',
    enabled: false,
  });
}

function switchCommand(
  context: Context,
  { name, description, enabled }: { name: string; description: string; enabled: boolean },
): Command {
  return cronCommand(name, description).action((id: string, options: ResourceOptions) => {
    const params = { cron_id: idArgument('cron', id) };
    return withAgents(context, options, async ({ crons }) =>
      showResource(context, options, await crons.update({ params, body: { enabled } })),
    );
  });
}

function remove(context: Context): Command {
  return cronCommand('delete', 'delete a cron')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: ResourceOptions & { yes?: true }) => {
      const params = { cron_id: idArgument('cron', id) };
      await confirmDeletion(context, options, `cron ${params.cron_id}`);
      await withAgents(context, options, async ({ crons }) => {
        await crons.delete({ params });
        context.terminal.note(`Deleted cron ${params.cron_id}.`);
      });
    });
}
