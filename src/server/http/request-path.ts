import type { IncomingMessage } from 'node:http';

/** The path without its query, which may contain secrets that must not be logged. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/**
 * A request's path with its query in canonical form: without repeated slashes, without a trailing slash, and
 * without the origin that requests to proxies contain. Every check of a path must use this form, or a second
 * spelling would bypass it.
 */
export function plainPath(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.search(/[?#]/);
  const path = (end < 0 ? local : local.slice(0, end)).replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return `${path}${end < 0 ? '' : `?${local.slice(end + 1)}`}`;
}
