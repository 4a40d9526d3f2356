import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import { isObject } from '../process/objects.ts';

/** A line of a server's log as text for a person. */
export interface ServerMessage {
  /** The number that pino uses for the level. */
  readonly level: number;
  /** Without the time and the level. */
  readonly text: string;
}

/**
 * Reads a line that a container printed, if it is a line of a server's log in JSON, as pino writes it. This
 * module does not use zod, which would slow down the activation of the extension.
 * @returns undefined for any other line.
 */
export function readServerLine(line: string): ServerMessage | undefined {
  if (!line.startsWith('{')) return undefined;
  const data = jsonOrUndefined(line);
  if (!isObject(data)) return undefined;
  const { level, time: _, msg, err, ...fields } = data;
  if (typeof level !== 'number' || typeof msg !== 'string') return undefined;
  const reason = isObject(err) ? err.message : undefined;
  if (reason !== undefined && typeof reason !== 'string') return undefined;
  const cause = reason === undefined || msg.includes(reason) ? '' : `: ${reason}`;
  const more = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  return { level, text: [`${msg}${cause}`, ...more].join(' ') };
}

/** The text of a line that a container printed: the message if it is a line of a server's log, else the whole line. */
export function plainLine(line: string): string {
  return readServerLine(line)?.text ?? line;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
