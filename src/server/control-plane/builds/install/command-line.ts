import { type ParseEntry, parse } from 'shell-quote';

/** The command line cannot be run without a shell. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError';
}

/**
 * Splits a command line such as `npm run build -- --minify "a b"` into its words, as a shell would, without
 * using a shell.
 * @throws CommandLineError for pipes, redirections, variables, globs, comments and several commands, and for
 * an empty line.
 */
export function splitCommandLine(line: string): [string, ...string[]] {
  // The library treats backquotes and unquoted line ends as words.
  if (/[`\n\r\0]/.test(line))
    throw new CommandLineError(
      `'${line}' needs a shell. Put it into a script of package.json and use that script.`,
    );
  const words = parse(line, (name) => ({ op: `$${name}` }));
  const [command, ...args] = words.map((word) => {
    if (typeof word === 'string') return word;
    throw new CommandLineError(
      `'${line}' needs a shell (${quote(word)}). Put it into a script of package.json and use that script.`,
    );
  });
  if (command === undefined || command === '') throw new CommandLineError('The command is empty.');
  return [command, ...args];
}

/** The part of a command line that only a shell understands, as it was written. */
function quote(part: Exclude<ParseEntry, string>): string {
  if ('comment' in part) return '#';
  return part.op === 'glob' ? part.pattern : part.op;
}
