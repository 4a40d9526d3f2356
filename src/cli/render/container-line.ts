import { z } from 'zod';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { type Colors, printable } from '../terminal.ts';

/** A line of the server's log; levels are pino's numbers. */
const ServerLine = z.looseObject({ level: z.number(), msg: z.string() });
const WARNING = 40;
const ERROR = 50;

/** A line that a container prints: of the server's JSON only its message, in the color of its level. */
export function containerLine(line: string, colors: Colors): string {
  const read = ServerLine.safeParse(jsonOrUndefined(line));
  if (!read.success) return printable(line);
  const { level, msg } = read.data;
  if (level >= ERROR) return colors.red(printable(msg));
  return level >= WARNING ? colors.yellow(printable(msg)) : printable(msg);
}
