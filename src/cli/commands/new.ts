import { readdir } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { createProject, TEMPLATES, type Template } from '../../project/create-project.ts';
import type { Context } from '../terminal/context.ts';
import { usage } from '../terminal/failure.ts';

interface NewOptions {
  readonly template: Template;
  readonly name?: string;
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
    .action(async (folder: string | undefined, options: NewOptions) => {
      if (folder === undefined && !(await isEmpty('.'))) {
        throw usage(
          'This folder is not empty. Name a folder: agent-harbor new my-agent, or agent-harbor new . to create the project here.',
        );
      }
      await create(context, folder ?? '.', options);
    });
}

/** Whether there is nothing in a folder but what an editor or git has made. */
async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).every((name) => name.startsWith('.'));
}

async function create(
  { terminal, templatesPath }: Context,
  folder: string,
  { template, name }: NewOptions,
): Promise<void> {
  const target = resolve(folder);
  const made = await createProject({ templates: templatesPath, template, folder: target, name });
  const place = relative(process.cwd(), target);
  terminal.line(`Created ${made.name} in ${target}.`);
  terminal.line('Next:');
  const steps = [
    ...(place === '' ? [] : [`cd ${/\s/.test(place) ? `"${place}"` : place}`]),
    ...made.setup,
    'agent-harbor dev',
  ];
  for (const step of steps) terminal.line(`  ${step}`);
}
