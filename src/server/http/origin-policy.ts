import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Credentials } from '../../contract/endpoint.ts';
import { forbidden } from './errors.ts';

/** The pages, besides those on this machine, that may call an origin (`http.cors` of langgraph.json). */
export interface CorsSettings {
  readonly allowOrigins: readonly string[];
  readonly allowOriginRegex?: RegExp;
  /**
   * For preflight requests. By default, all methods of the server, and the headers that the page asks for.
   */
  readonly allowMethods?: readonly string[];
  readonly allowHeaders?: readonly string[];
  readonly allowCredentials: boolean;
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

/** The settings of origins that only pages on this machine may call. */
export const loopbackOnly: CorsSettings = {
  allowOrigins: [],
  allowCredentials: false,
  exposeHeaders: [],
  maxAgeSeconds: 600,
};

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
const EXPOSED = [
  'content-location',
  'location',
  'mcp-session-id',
  'www-authenticate',
  'x-pagination-total',
  'x-pagination-next',
  'x-request-id',
];

/** Whether a host name always means this machine. Any other name could be a DNS rebinding attack. */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** Fast path for the usual hosts, without parsing a URL. */
const PLAIN_LOOPBACK = /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;

/** @throws HttpError 403 when the Host header names anything but this machine. */
export function checkHost(headers: IncomingHttpHeaders): void {
  const host = headers.host ?? '';
  if (PLAIN_LOOPBACK.test(host)) return;
  const hostname = hostnameOf(`http://${host}`);
  if (hostname === undefined || !isLoopbackName(hostname)) {
    throw forbidden('This server answers only to loopback host names such as localhost or 127.0.0.1.');
  }
}

/**
 * Checks the origin of a request.
 * @returns the CORS headers of its response; none for callers that are not pages.
 * @throws HttpError 403 for a page of another origin.
 */
export function checkOrigin(
  headers: IncomingHttpHeaders,
  credentials: Credentials,
  settings: CorsSettings,
): Record<string, string> {
  const origin = headers.origin;
  if (origin === undefined) return {};
  if (credentials === 'presigned') return { 'access-control-allow-origin': '*' };
  if (!isAllowed(origin, settings)) {
    throw forbidden(
      `Pages from ${origin} may not call this server. To allow them, add the origin to http.cors.allow_origins in langgraph.json.`,
    );
  }
  return {
    'access-control-allow-origin': origin,
    vary: 'origin',
    'access-control-expose-headers': [...EXPOSED, ...settings.exposeHeaders].join(', '),
    ...(settings.allowCredentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}

/**
 * Checks the origin of a request, and sets the CORS headers of its response.
 * @throws HttpError 403 for a page of another origin.
 */
export function allowOrigin(
  { headers }: IncomingMessage,
  response: ServerResponse,
  credentials: Credentials,
  settings: CorsSettings,
): void {
  for (const [name, value] of Object.entries(checkOrigin(headers, credentials, settings)))
    response.setHeader(name, value);
}

/** The headers that the response to a preflight request has in addition. */
export function preflightHeaders(
  headers: IncomingHttpHeaders,
  settings: CorsSettings,
): Record<string, string> {
  return {
    'access-control-allow-methods': joinNames(settings.allowMethods) ?? METHODS,
    'access-control-allow-headers':
      joinNames(settings.allowHeaders) ?? headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': String(settings.maxAgeSeconds),
  };
}

/** The names as a list; undefined for `*`, which browsers do not accept with credentials. */
function joinNames(names: readonly string[] | undefined): string | undefined {
  return names === undefined || names.includes('*') ? undefined : names.join(', ');
}

function isAllowed(origin: string, settings: CorsSettings): boolean {
  if (settings.allowOrigins.includes('*') || settings.allowOrigins.includes(origin)) return true;
  if (settings.allowOriginRegex?.test(origin)) return true;
  const page = URL.parse(origin);
  // Apps may use other schemes: `app://localhost` is not a page on this machine.
  return page !== null && /^https?:$/.test(page.protocol) && isLoopbackName(page.hostname);
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}
