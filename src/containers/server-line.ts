import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import { isObject } from '../process/objects.ts';

/** A line of a server's log as a person reads it, without its time and level. */
export interface ServerMessage {
  /** A number of pino. */
  readonly level: number;
  readonly text: string;
}

/**
 * A line that a container has printed, when it is one of a server's log in JSON: levels are pino's numbers. Without zod,
 * which activating the extension must not read.
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

/** A line as it was printed, or the text of one in JSON. */
export function plainLine(line: string): string {
  return readServerLine(line)?.text ?? line;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
