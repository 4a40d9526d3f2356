import { inspect } from 'node:util';
import type { LogParams } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';

/** The global property from which `getLogger()` of the public SDK reads the logger. */
const LOGGER = Symbol.for('langgraph.api.sdk-logger');

/** The methods of the SDK's logger, which are winston's, and the levels of a deployment's log. */
const LEVELS = {
  error: 'error',
  warn: 'warning',
  help: 'info',
  data: 'info',
  info: 'info',
  prompt: 'info',
  http: 'info',
  input: 'info',
  verbose: 'debug',
  debug: 'debug',
  silly: 'debug',
} as const satisfies Record<string, LogParams['level']>;

type LogMethod = (message: unknown, ...more: unknown[]) => object;

/** Registers the logger that `getLogger()` of `@langchain/langgraph-sdk/logging` gives to graphs. */
export function offerLogger(write: (level: LogParams['level'], message: string) => void): void {
  const logger: Record<string, LogMethod> = {};
  for (const [name, level] of Object.entries(LEVELS)) {
    logger[name] = (message, ...more) => {
      write(level, [message, ...more].map(toText).join(' '));
      return logger;
    };
  }
  Object.assign(globalThis, { [LOGGER]: logger });
}

/** Formats an argument of the logger; an object with a message is winston's "info object". */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return value.stack ?? value.message;
  if (!isRecord(value) || typeof value.message !== 'string') return inspect(value, { depth: 8 });
  const { message, level: _, ...rest } = value;
  return Object.keys(rest).length === 0 ? message : `${message} ${inspect(rest, { depth: 8 })}`;
}
