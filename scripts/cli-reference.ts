/**
 * Writes the output of `--help` into docs/cli.md, between `<!-- commands: dev -->` and `<!-- /commands -->`,
 * and leaves the rest of the page unchanged: `node scripts/cli-reference.ts [--check]`. With --check, it only
 * says whether the file is up to date. Every command must have a place in it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command, Option } from 'commander';
import { markdownTable } from 'markdown-table';
import { makeProgram } from '../src/cli/program.ts';
import { Terminal } from '../src/cli/terminal/terminal.ts';
import { createDispatcher } from '../src/client/dispatcher.ts';

const file = new URL('../docs/cli.md', import.meta.url);
const place = /(?<=<!-- commands: (?<names>[a-z -]+) -->\n).*?(?=<!-- \/commands -->)/gs;

const root = await everyCommand();
const help = root.createHelp();
const before = await readFile(file, 'utf8');
const missing = new Set(root.commands.map((command) => command.name()));
const after = before.replace(place, (_, names: string) => `\n${reference(names.split(' ')).trimEnd()}\n\n`);
if (missing.size > 0) {
  console.error(`docs/cli.md has no place for ${[...missing].join(', ')}: <!-- commands: … -->.`);
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  await writeFile(file, after);
} else if (after !== before) {
  console.error('docs/cli.md is not up to date: run `npm run generate`.');
  process.exitCode = 1;
}

/** The whole command line, connected to nothing. */
async function everyCommand(): Promise<Command> {
  const environment = {};
  const { stdin, stdout, stderr } = process;
  const dispatcher = createDispatcher(environment);
  const options = {
    terminal: new Terminal({ stdout, stderr, environment }),
    version: '',
    serverPath: '',
    templatesPath: '',
    environment,
    stdin,
    interrupted: new AbortController().signal,
  };
  try {
    return await makeProgram(options, async () => ({ ...options, dispatcher }), undefined);
  } finally {
    await dispatcher.destroy();
  }
}

/** The options of a group of commands: common ones once, then those of each command. */
function reference(names: readonly string[]): string {
  const groups = names.map((name) => {
    const group = root.commands.find((command) => command.name() === name);
    if (group === undefined) throw new Error(`docs/cli.md: there is no command ${name}.`);
    missing.delete(name);
    return { group, commands: runnable(group) };
  });
  const all = groups.flatMap(({ commands }) => commands);
  const [first] = all;
  if (first === undefined) return '';
  if (all.length === 1)
    return usageOf(first) + (first.options.length > 0 ? optionTable('Option', first.options) : '');
  const shared = first.options.filter((option) =>
    all.every((command) => command.options.some((other) => row(other).join() === row(option).join())),
  );
  const isShared = (option: Option) => shared.some((other) => other.flags === option.flags);
  const tables =
    all.length === groups.length
      ? [commandTable(all, isShared)]
      : groups.map(({ group, commands }) =>
          [
            ...(groups.length > 1 ? [`### agent-harbor ${group.name()}`, sentence(group.description())] : []),
            commandTable(commands, isShared),
          ].join('\n\n'),
        );
  return [optionTable('Common option', shared), ...tables].join('\n\n');
}

/** The usage line of a command that has arguments. */
function usageOf(command: Command): string {
  return command.registeredArguments.length > 0
    ? `\`\`\`sh\nagent-harbor ${nameOf(command)}\n\`\`\`\n\n`
    : '';
}

/** The runnable commands of a group, including the group if it has its own options. */
function runnable(group: Command): Command[] {
  const itself = group.commands.length === 0 || group.options.length > 0 ? [group] : [];
  return [...itself, ...group.commands.flatMap(runnable)];
}

function commandTable(commands: readonly Command[], isShared: (option: Option) => boolean): string {
  return table(
    ['Command', 'What it does', 'Its options'],
    commands.map((command) => [
      `\`${nameOf(command)}\``,
      text(command.description()),
      command.options
        .filter((option) => !isShared(option))
        .map((option) => row(option).join(' '))
        .join('<br>'),
    ]),
  );
}

/** The command with its arguments, without the program's name. */
function nameOf(command: Command): string {
  const given = command.registeredArguments.map((argument) => {
    const inner = `${argument.name()}${argument.variadic ? '…' : ''}`;
    return argument.required ? `<${inner}>` : `[${inner}]`;
  });
  const group = command.parent === root || command.parent === null ? [] : [command.parent.name()];
  return [...group, command.name(), ...given].join(' ');
}

function optionTable(title: string, options: readonly Option[]): string {
  return table([title, 'What it does'], options.filter(({ hidden }) => !hidden).map(row));
}

function row(option: Option): string[] {
  return [`\`${option.flags}\``, text(help.optionDescription(option))];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows], { alignDelimiters: false });
}

function sentence(description: string): string {
  return `${description.charAt(0).toUpperCase()}${text(description.slice(1))}.`;
}

/** Angle brackets would be HTML. */
function text(description: string): string {
  return description.replaceAll('<', '&lt;');
}
