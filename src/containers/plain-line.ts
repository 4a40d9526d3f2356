import { z } from 'zod';
import { jsonOrUndefined } from '../process/json-or-undefined.ts';

/** A line of a server's log, such as ours: levels are pino's numbers. */
const ServerLine = z.looseObject({
  level: z.number(),
  time: z.unknown(),
  msg: z.string(),
  err: z.looseObject({ message: z.string() }).optional(),
});

/** A line of a server's log as a person reads it; what has a column of its own is left out. */
export interface ServerMessage {
  /** A number of pino. */
  readonly level: number;
  readonly text: string;
}

/** A line that a container has printed, when it is one of a server's log in JSON. */
export function readServerLine(line: string): ServerMessage | undefined {
  if (!line.startsWith('{')) return undefined;
  const { data } = ServerLine.safeParse(jsonOrUndefined(line));
  if (data === undefined) return undefined;
  const { level, time: _, msg, err, ...fields } = data;
  const cause = err === undefined || msg.includes(err.message) ? '' : `: ${err.message}`;
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
