import { z } from 'zod';
import type { LogLine } from '../../../contract/harbor.ts';

const LEVELS: ReadonlyMap<string, LogLine['level']> = new Map([
  ['trace', 'DEBUG'],
  ['debug', 'DEBUG'],
  ['info', 'INFO'],
  ['warn', 'WARNING'],
  ['warning', 'WARNING'],
  ['error', 'ERROR'],
  ['critical', 'ERROR'],
  ['fatal', 'ERROR'],
]);
/** The names of numeric levels, as loggers such as pino number them: 10, 20, and so on. */
const NUMBERED = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const WORD = /\b(DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b/;
/** A level is only searched for in the first characters of a line. */
const HEAD_CHARS = 80;
/** A line in JSON. */
const JsonLine = z.looseObject({ level: z.union([z.string(), z.number()]) });

/** The level that a line of a container's output names, otherwise `INFO`. */
export function levelOf(line: string): LogLine['level'] {
  const name = line.startsWith('{') ? levelInJson(line) : WORD.exec(line.slice(0, HEAD_CHARS))?.[1];
  return LEVELS.get(name?.toLowerCase() ?? '') ?? 'INFO';
}

function levelInJson(line: string): string | undefined {
  try {
    const { data } = JsonLine.safeParse(JSON.parse(line));
    return typeof data?.level === 'number' ? NUMBERED[data.level / 10 - 1] : data?.level;
  } catch {
    return undefined;
  }
}
