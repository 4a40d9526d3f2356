import type { Logger } from 'pino';
import { pino } from 'pino';

export type { Logger };

/** The paths of headers and fields in log records whose values are replaced. */
const SECRET_PATHS = [
  '*.api_key',
  '*.apiKey',
  '*.secrets',
  '*.client_secret',
  'headers.authorization',
  'headers["x-api-key"]',
];

/** Creates the server's log: JSON lines without secrets. @param fd the file descriptor; standard error by default. */
export function makeLogger({ level, fd = 2 }: { level: string; fd?: number }): Logger {
  // Lines are written synchronously, so that none is lost when the process is killed, and the process never waits for a
  // full disk when it ends.
  const destination = pino.destination({ fd, sync: true });
  // When the disk is full, log lines are lost, and the server continues.
  destination.on('error', () => {});
  return pino({ level, base: null, redact: { paths: SECRET_PATHS, censor: '[secret]' } }, destination);
}
