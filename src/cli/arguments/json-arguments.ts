import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { JsonObject } from '../../contract/fields.ts';
import { messageOf } from '../../process/message-of.ts';
import { usage } from '../terminal/failure.ts';

/**
 * A sentence about how to pass JSON to an option so that the shell does not change it. On Windows, PowerShell strips
 * inner quotes, and cmd.exe has no single quotes; standard input works in both.
 */
export function quotingHint(option: string, platform: NodeJS.Platform = process.platform): string {
  const json = `'{"key": "value"}'`;
  return platform === 'win32' && readsInput(option)
    ? `PowerShell removes the quotes. Send it through standard input: ${json} | agent-harbor … ${option} -`
    : `Quote it for the shell: ${option} ${platform === 'win32' ? '"{\\"key\\": \\"value\\"}"' : json}.`;
}

function readsInput(option: string): boolean {
  return option === '--input' || option === '--resume';
}

/**
 * Refuses a message such as `{count: 3}`, which was JSON before a Windows shell stripped its quotes, and which would be
 * sent to the graph as text.
 * @throws Failure
 */
export function refuseUnquotedJson(message: string, platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'win32' || !/^\s*\{\s*[\w$-]+\s*:.*\}\s*$/s.test(message)) return;
  throw usage(
    `This message seems to be JSON that has lost its quotes: ${message}. ${quotingHint('--input', platform)}`,
  );
}

/**
 * Parses the JSON of an option.
 * @throws Failure that shows where it is not valid.
 */
export function jsonArgument(option: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = messageOf(error);
    throw usage(`${option} is not valid JSON: ${why}. ${quotingHint(option)}`);
  }
}

/** Parses the JSON object of an option. @throws Failure for anything else */
export function objectArgument(option: string, json: string): z.output<typeof JsonObject> {
  const read = JsonObject.safeParse(jsonArgument(option, json));
  if (read.success) return read.data;
  throw usage(`${option} must be a JSON object, such as '{"key": "value"}'.`);
}

const Uuid = z.guid();

/**
 * The UUID in an argument, in lower case and with dashes.
 * @param what what the UUID identifies, for the error
 * @throws Failure for anything else
 */
export function idArgument(what: string, id: string): string {
  // Python clients and OpenTelemetry print IDs without dashes.
  const dashed = id.replace(/^(.{8})([^-]{4})([^-]{4})([^-]{4})([^-]{12})$/, '$1-$2-$3-$4-$5');
  if (Uuid.safeParse(dashed).success) return dashed.toLowerCase();
  throw usage(`'${id}' is not a valid ${what} ID, such as 018f3a5e-7c1d-7a52-9d3b-2f6a0c4e8b11.`);
}

/** Adds a `key=value` pair to the previous ones; the value is a JSON scalar if possible, else text. */
export function pairArgument(
  text: string,
  before: Readonly<Record<string, string | number | boolean>> | undefined,
): Record<string, string | number | boolean> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`'${text}' is not a key=value pair, such as user=u1.`);
  return { ...before, [text.slice(0, at)]: scalarOf(text.slice(at + 1)) };
}

function scalarOf(text: string): string | number | boolean {
  try {
    return z.union([z.string(), z.number(), z.boolean()]).parse(JSON.parse(text));
  } catch {
    return text;
  }
}
