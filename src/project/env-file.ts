import { isDeepStrictEqual } from 'node:util';
import { parse } from 'dotenv';

/** A line of an env file that sets nothing; the message names file and line. */
export class EnvFileError extends Error {
  override readonly name = 'EnvFileError';
}

/**
 * The variables of an env file.
 * @param file its path, for errors.
 * @throws EnvFileError for a line that is neither a variable nor a comment, which dotenv would leave out in silence.
 */
export function parseEnvFile(file: string, text: string): Record<string, string> {
  const variables = parse(text);
  const lines = text.split(/\r\n|\n|\r/);
  lines.forEach((line, at) => {
    if (/^\s*(?:#|$)/.test(line) || /^\s*(?:export\s+)?[\w.-]+\s*(?:=|:\s)/.test(line)) return;
    // A line of a value with several lines changes it.
    if (!isDeepStrictEqual(parse(lines.toSpliced(at, 1).join('\n')), variables)) return;
    throw new EnvFileError(`${file}:${at + 1} is not a variable. Write NAME=value, or # before a comment.`);
  });
  return variables;
}
