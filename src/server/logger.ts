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
  // Each line is written synchronously, so that a killed process has logged its work, and a full disk does not
  // block its end.
  const destination = pino.destination({ fd, sync: true });
  // On a full disk log lines are lost, and the server continues.
  destination.on('error', () => {});
  return pino({ level, base: null, redact: { paths: SECRET_PATHS, censor: '[secret]' } }, destination);
}
