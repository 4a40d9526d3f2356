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
 * @param file where it goes; standard error when absent.
 */
export function makeLogger(options: { level: string; file?: string }): Logger {
  const destination = pino.destination(
    options.file === undefined ? { dest: 2, sync: true } : { dest: options.file, sync: false, mkdir: true },
  );
  // A log on a full disk loses lines; the server goes on.
  destination.on('error', () => {});
  return pino(
    { level: options.level, base: null, redact: { paths: SECRET_PATHS, censor: '[secret]' } },
    destination,
  );
}
