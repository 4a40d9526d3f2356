import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { RIGHT_MEANINGS, RIGHTS, type Right } from '../../contract/endpoint.ts';
import { type ApiKey, type NewApiKey, USUAL_RIGHTS } from '../../contract/identity.ts';
import { millisecondsOf } from '../../terms/times.ts';
import { showPage } from '../render/paging.ts';
import type { Column } from '../render/table.ts';
import { localTime } from '../render/time.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../terminal/context.ts';
import { Failure, usage } from '../terminal/failure.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'KEY', cell: ({ short_key }) => `${short_key}…` },
  { title: 'DESCRIPTION', cell: ({ description }) => description, flexible: true },
  { title: 'RIGHTS', cell: ({ rights }) => rights.join(', '), flexible: true },
  { title: 'PROJECTS', cell: ({ projects }) => projects?.join(', ') ?? 'all', flexible: true },
  { title: 'CREATED', cell: ({ created_at }) => localTime(created_at) },
  { title: 'ENDS', cell: ({ revoked_at }) => (revoked_at === null ? '' : localTime(revoked_at)) },
  { title: 'ID', cell: ({ id }) => id },
];

const MAX_OVERLAP_HOURS = 720;
/** The minimum length of a key's beginning that can be used to name the key. */
const MIN_BEGINNING = 8;

interface GrantOptions extends PlatformOptions {
  readonly right?: readonly Right[];
  readonly project?: readonly string[];
  readonly description?: string;
}

export function keysCommand(context: Context): Command {
  const command = new Command('keys').description('API keys of a workspace, and their rights');
  for (const make of [list, create, narrow, rotate, revoke])
    command.addCommand(addPlatformOptions(make(context)));
  return command;
}

function list(context: Context): Command {
  return new Command('list')
    .description('list the keys of the workspace, without their values')
    .option('--all', 'include revoked keys')
    .action((options: PlatformOptions & { readonly all?: true }) =>
      withPlatform(context, options, async ({ identity }) => {
        const keys = await identity.listKeys({}, { signal: context.interrupted });
        const rows = options.all ? keys : keys.filter(isValid);
        showPage(context, { rows, total: undefined }, COLUMNS, { ...options, empty: 'No keys.' });
      }),
    );
}

function create(context: Context): Command {
  return withGrant(
    new Command('create').argument('[description]', 'description, such as its user or purpose'),
    {
      right: `a right of the key (default: ${USUAL_RIGHTS.join(', ')})`,
      project: 'send traces only to this project (default: all)',
    },
  )
    .description('create a key, which is shown only once')
    .action((description: string | undefined, { right, project, ...options }: GrantOptions) =>
      withPlatform(context, options, async ({ identity }) =>
        showNew(
          context,
          options,
          await identity.createKey(
            {
              body: {
                ...(description === undefined ? {} : { description }),
                ...(right === undefined ? {} : { rights: [...right] }),
                ...(project === undefined ? {} : { projects: [...project] }),
              },
            },
            { signal: context.interrupted },
          ),
        ),
      ),
    );
}

function narrow(context: Context): Command {
  return withGrant(keyCommand('narrow'), {
    right: 'a right that the key keeps',
    project: 'a project to which the key can still send traces',
  })
    .description('remove rights or projects from a key')
    .option('--description <text>', 'description, such as its user or purpose')
    .action((key: string, { right, project, description, ...options }: GrantOptions) => {
      if (right === undefined && project === undefined && description === undefined)
        throw usage('Nothing to change. Name the rights that the key keeps with --right.');
      return withPlatform(context, options, async (client) => {
        const { id } = await findKey(context, client, key);
        const narrowed = await client.identity.narrowKey(
          {
            params: { api_key_id: id },
            body: {
              description,
              rights: right && [...right],
              projects: project && [...project],
            },
          },
          { signal: context.interrupted },
        );
        showPage(context, { rows: [narrowed], total: undefined }, COLUMNS, { ...options, empty: '' });
      });
    });
}

interface RotateOptions extends PlatformOptions {
  /** In seconds. */
  readonly overlap?: number;
}

function rotate(context: Context): Command {
  return keyCommand('rotate')
    .description('replace a key with a new one with the same access; the old one expires at once, or later')
    .addOption(overlapOption())
    .action((key: string, { overlap: overlapSeconds = 0, ...options }: RotateOptions) =>
      withPlatform(context, options, async (client) => {
        const { id } = await findKey(context, client, key);
        const made = await client.identity.rotateKey(
          { params: { api_key_id: id }, body: { overlap_seconds: overlapSeconds } },
          { signal: context.interrupted },
        );
        showNew(context, options, made);
        if (overlapSeconds > 0 && !options.json)
          context.terminal.note(
            `The old key expires in ${Number((overlapSeconds / 3_600).toFixed(2))} h. To revoke it earlier: agent-harbor keys revoke ${id}.`,
          );
      }),
    );
}

function revoke(context: Context): Command {
  return keyCommand('revoke')
    .description('revoke a key immediately')
    .option('--yes', 'skip the confirmation')
    .action((key: string, options: PlatformOptions & { readonly yes?: true }) =>
      withPlatform(context, options, async (client) => {
        const found = await findKey(context, client, key);
        if (!options.yes)
          await confirm(context, {
            question: `Type '${found.short_key}' to revoke the key '${found.description}': `,
            expected: found.short_key,
            otherwise: 'Nothing was revoked.',
          });
        const revoked = await client.identity.revokeKey(
          { params: { api_key_id: found.id } },
          { signal: context.interrupted },
        );
        if (options.json) context.terminal.json(revoked);
        else context.terminal.note(`Revoked '${found.description}' (${found.short_key}…).`);
      }),
    );
}

function isValid({ revoked_at }: Pick<ApiKey, 'revoked_at'>): boolean {
  return (millisecondsOf(revoked_at) ?? Number.POSITIVE_INFINITY) > Date.now();
}

/** An option in hours, whose value is in seconds. */
function overlapOption(): Option {
  return new Option(
    '--overlap <hours>',
    'how long the old key stays valid (default: it expires at once)',
  ).argParser((text: string) => {
    const hours = Number(text);
    if (text.trim() !== '' && hours >= 0 && hours <= MAX_OVERLAP_HOURS) return Math.round(hours * 3_600);
    throw usage(`--overlap must be a number of hours from 0 to ${MAX_OVERLAP_HOURS}, not '${text}'.`);
  });
}

function keyCommand(name: string): Command {
  return new Command(name).argument('<key>', 'its ID, its first characters, or its description');
}

/** Adds `--right` and `--project`, whose descriptions begin with the given texts. */
function withGrant(command: Command, texts: { readonly right: string; readonly project: string }): Command {
  const meanings = RIGHTS.map((right) => `${right}: ${RIGHT_MEANINGS[right]}`).join('; ');
  return command
    .addOption(
      new Option('--right <right>', `${texts.right}, repeatable (${meanings})`)
        .choices([...RIGHTS])
        .argParser<readonly string[]>((value, before) => {
          if (RIGHTS.some((right) => right === value)) return [...(before ?? []), value];
          throw usage(`--right must be one of ${RIGHTS.join(', ')}, not '${value}'.`);
        }),
    )
    .option(
      '--project <name>',
      `${texts.project}, repeatable`,
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    );
}

/** Finds a key by its ID, its first characters or its description. @throws Failure when none or several match */
async function findKey(
  { interrupted: signal }: Context,
  { identity }: Client,
  named: string,
): Promise<ApiKey> {
  const keys = await identity.listKeys({}, { signal });
  const found = keys.filter(
    ({ id, short_key, description, revoked_at }) =>
      id === named ||
      // A revoked or rotated key may have had the same name.
      (revoked_at === null && description === named) ||
      (isValid({ revoked_at }) && named.length >= MIN_BEGINNING && named.startsWith(short_key)),
  );
  const [key, ...others] = found;
  if (key === undefined)
    throw new Failure(
      `Key '${named}' not found. List the keys of the workspace with agent-harbor keys list.`,
    );
  if (others.length > 0)
    throw new Failure(
      `Several keys are called '${named}'. Use an ID: ${found.map(({ id }) => id).join(' or ')}.`,
    );
  return key;
}

function showNew({ terminal }: Context, options: PlatformOptions, made: NewApiKey): void {
  if (options.json) {
    terminal.json(made);
    return;
  }
  terminal.line(made.key);
  const projects = made.projects === null ? '' : `; traces only to: ${made.projects.join(', ')}`;
  terminal.note(`The key is not shown again. Rights: ${made.rights.join(', ')}${projects}.`);
}
