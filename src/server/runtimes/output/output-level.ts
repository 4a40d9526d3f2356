import { z } from 'zod';
import type { LogLine } from '../../../contract/harbor.ts';

const LEVELS: Readonly<Record<string, LogLine['level']>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  warning: 'WARNING',
  error: 'ERROR',
  critical: 'ERROR',
  fatal: 'ERROR',
};
/** The names of numeric levels, as loggers such as pino number them: 10, 20, and so on. */
const NUMBERED = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const WORD = /\b(DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b/;
/** A level is only searched for in the first characters of a line. */
const HEAD_CHARS = 80;
/** A line in JSON. */
const Structured = z.looseObject({ level: z.union([z.string(), z.number()]) });

/** The level that a line of a container's output names, otherwise `INFO`. */
export function levelOf(line: string): LogLine['level'] {
  const said = line.startsWith('{') ? structured(line) : WORD.exec(line.slice(0, HEAD_CHARS))?.[1];
  return LEVELS[said?.toLowerCase() ?? ''] ?? 'INFO';
}

function structured(line: string): string | undefined {
  try {
    const { data } = Structured.safeParse(JSON.parse(line));
    return typeof data?.level === 'number' ? NUMBERED[data.level / 10 - 1] : data?.level;
  } catch {
    return undefined;
  }
}
