import type { IncomingMessage } from 'node:http';

/** The path without its query, which may hold what a log must not. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
