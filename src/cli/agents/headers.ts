import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { messageOf } from '../../process/message-of.ts';
import { Failure, usage } from '../terminal/failure.ts';

export interface HeaderOptions {
  readonly header?: readonly string[];
}

export function headerOption(): Option {
  return new Option(
    '--header <name: value>',
    'header for requests to the agent server, for example for its own authentication; @file reads one per line from a file, repeatable',
  ).argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
}

/**
 * The headers given on the command line, by lower-case name. The last of several with one name is used.
 * @throws Failure when a header is not valid or a file cannot be read.
 */
export async function readHeaders({ header = [] }: HeaderOptions): Promise<Record<string, string>> {
  const lines = await Promise.all(header.map((text) => (text.startsWith('@') ? readLines(text) : [text])));
  return Object.fromEntries(lines.flat().map(parseHeader));
}

/** A file keeps secrets out of the command line, which other users can see. */
async function readLines(text: string): Promise<string[]> {
  const file = text.slice(1);
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`--header: ${file} could not be read: ${messageOf(error)}`);
  });
  return content.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function parseHeader(text: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
  throw usage(`--header must be 'name: value', such as 'Authorization: Bearer …'.`);
}
