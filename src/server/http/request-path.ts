import type { IncomingMessage } from 'node:http';

/** The path without its query, which may hold what a log must not. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/**
 * A request's path with its query, without what makes no difference: repeated slashes, one at the end, and the origin, which
 * proxies are sent. What looks at paths looks at this one, or a second spelling would go past it.
 */
export function plainPath(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.search(/[?#]/);
  const path = (end < 0 ? local : local.slice(0, end)).replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return `${path}${end < 0 ? '' : `?${local.slice(end + 1)}`}`;
}
