import { readServerLine } from '../../containers/server-line.ts';
import type { Colors } from '../terminal/colors.ts';

/** The levels of pino, the logger of the server. */
const WARNING = 40;
const ERROR = 50;

/**
 * A line of a container's output for the terminal. For a line of the server's JSON log, this is only its
 * text, colored by level.
 */
export function containerLine(line: string, colors: Colors): string {
  const read = readServerLine(line);
  if (read === undefined) return line;
  const { level, text } = read;
  if (level >= ERROR) return colors.red(text);
  return level >= WARNING ? colors.yellow(text) : text;
}
