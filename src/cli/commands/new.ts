import { relative, resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { createProject, TEMPLATES, type Template } from '../../project/create-project.ts';
import type { Context } from '../context.ts';

interface NewOptions {
  readonly template: Template;
  readonly name?: string;
}

export function newCommand(context: Context): Command {
  return new Command('new')
    .description('create an agent project with a small agent that works offline')
    .addArgument(new Argument('[folder]', 'folder to create it in').default('.', 'this folder'))
    .addOption(
      new Option('--template <language>', 'programming language').choices(TEMPLATES).default('typescript'),
    )
    .option('--name <name>', 'name of the project (default: the folder name)')
    .action((folder: string, options: NewOptions) => create(context, folder, options));
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
