import { readServerLine } from '../../containers/server-line.ts';
import type { Colors } from '../terminal/colors.ts';

const WARNING = 40;
const ERROR = 50;

/** A line that a container prints; from the server's JSON, only the text, in the color of its level. */
export function containerLine(line: string, colors: Colors): string {
  const read = readServerLine(line);
  if (read === undefined) return line;
  const { level, text } = read;
  if (level >= ERROR) return colors.red(text);
  return level >= WARNING ? colors.yellow(text) : text;
}
