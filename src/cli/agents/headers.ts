import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { Failure, usage } from '../failure.ts';

export interface HeaderOptions {
  readonly header?: readonly string[];
}

export function headerOption(): Option {
  return new Option(
    '--header <name: value>',
    'send this header to the agent server, as its auth may want it; @file takes them from a file, a line each; may be given several times',
  ).argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
}

/**
 * The headers of a command line, by their names in lower case.
 * @throws Failure when one is no header, or a file of them cannot be read.
 */
export async function readHeaders({ header = [] }: HeaderOptions): Promise<Record<string, string>> {
  const lines = await Promise.all(header.map((text) => (text.startsWith('@') ? fileLines(text) : [text])));
  return Object.fromEntries(lines.flat().map(parseHeader));
}

/** Files keep secrets out of the command line, which others on the machine can see. */
async function fileLines(text: string): Promise<string[]> {
  const file = text.slice(1);
  const content = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`--header: the file ${file} cannot be read.`);
  });
  return content.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function parseHeader(text: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
  throw usage(`--header takes 'name: value', such as 'Authorization: Bearer …'.`);
}
