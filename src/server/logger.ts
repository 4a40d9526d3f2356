import type { Logger } from 'pino';
import { pino } from 'pino';

export type { Logger };

/** Header and field names whose values never reach a log. */
const SECRET_PATHS = [
  '*.api_key',
  '*.apiKey',
  '*.secrets',
  '*.client_secret',
  'headers.authorization',
  'headers["x-api-key"]',
];

/**
 * The server's log: JSON lines, secrets left out.
 * @param fd where it goes; standard error when absent.
 */
export function makeLogger({ level, fd = 2 }: { level: string; fd?: number }): Logger {
  // Line by line: a process that is killed has logged what it did, and one that ends is not held up by a full disk.
  const destination = pino.destination({ fd, sync: true });
  // A log on a full disk loses lines; the server goes on.
  destination.on('error', () => {});
  return pino({ level, base: null, redact: { paths: SECRET_PATHS, censor: '[secret]' } }, destination);
}
