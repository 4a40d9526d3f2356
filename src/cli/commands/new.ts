import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import type { CodingAgent } from '../../coding-agents/client-files.ts';
import { startCommandOf } from '../../coding-agents/find-start-command.ts';
import { ifPresent } from '../../process/if-present.ts';
import { makeFolder } from '../../process/make-folder.ts';
import { createProject, TEMPLATES, type Template } from '../../project/create-project.ts';
import { listArgument } from '../arguments/arguments.ts';
import type { Context } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface NewOptions {
  readonly template: Template;
  readonly name?: string;
  readonly codingAgents?: readonly string[];
}

export function newCommand(context: Context): Command {
  return new Command('new')
    .description('create an agent project with a small agent that works offline')
    .addArgument(
      new Argument(
        '[folder]',
        'folder to create it in, . for this one (default: this folder, if it is empty)',
      ),
    )
    .addOption(
      new Option('--template <language>', 'programming language').choices(TEMPLATES).default('typescript'),
    )
    .option('--name <name>', 'name of the project (default: the folder name)')
    .option(
      '--coding-agents <programs>',
      'configure these to use agent-harbor mcp: claude-code, cursor, codex, separated by commas',
      listArgument,
    )
    .action(async (folder: string | undefined, options: NewOptions) => {
      if (folder === undefined && !(await isEmpty('.'))) {
        throw usage(
          'This folder is not empty. Name a folder: agent-harbor new my-agent, or agent-harbor new . to create the project here.',
        );
      }
      await create(context, folder ?? '.', options);
    });
}

/** Whether a folder has only hidden entries, such as those of an editor or git. */
async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).every((name) => name.startsWith('.'));
}

async function create(
  { terminal, templatesPath }: Context,
  folder: string,
  { template, name, codingAgents = [] }: NewOptions,
): Promise<void> {
  const agents = await findAgents(codingAgents);
  const target = resolve(folder);
  const made = await createProject({ templates: templatesPath, template, folder: target, name });
  for (const agent of agents) await writeAgentFile(target, agent);
  const place = relative(process.cwd(), target);
  terminal.line(`Created ${made.name} in ${target}.`);
  terminal.line('Next:');
  const steps = [
    ...(place === '' ? [] : [`cd ${/\s/.test(place) ? `"${place}"` : place}`]),
    ...made.setup,
    'agent-harbor dev',
  ];
  for (const step of steps) terminal.line(`  ${step}`);
  if (agents.length === 0)
    terminal.line('For Claude Code, Cursor or Codex, see agent-harbor new --help: --coding-agents.');
}

/** Finds coding agents by their IDs. @throws Failure for an ID that is not known */
async function findAgents(names: readonly string[]): Promise<readonly CodingAgent[]> {
  if (names.length === 0) return [];
  const { CODING_AGENTS } = await import('../../coding-agents/client-files.ts');
  return names.map((wanted) => {
    const found = CODING_AGENTS.find(({ id }) => id === wanted);
    if (found !== undefined) return found;
    const known = CODING_AGENTS.map(({ id }) => id).join(', ');
    throw usage(`'${wanted}' is not a coding agent that can be set up. Choose from: ${known}.`);
  });
}

async function writeAgentFile(folder: string, agent: CodingAgent): Promise<void> {
  const file = join(folder, agent.file);
  const before = await ifPresent(readFile(file, 'utf8'));
  await makeFolder(dirname(file));
  await writeFile(file, agent.addServer(before, startCommandOf('agent-harbor')));
}
