import tls from 'node:tls';
import type { Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import UndiciDispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';

// A method of the proxy's client that undici's entry module normally adds, and may still add later.
Object.assign(UndiciDispatcher.prototype, { connect });

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** Network settings of the host program, such as an editor. The environment provides those that are absent. */
export interface NetworkSettings {
  /** The address of a proxy, for http and https. */
  readonly proxy?: string | undefined;
  /** The `proxy-authorization` header for the proxy. */
  readonly proxyAuthorization?: string | undefined;
  /** Hosts that are reached without the proxy, in addition to those in `NO_PROXY`. */
  readonly noProxy?: readonly string[] | undefined;
  /** False accepts certificates that no authority has signed. */
  readonly strictSsl?: boolean | undefined;
  /** Whether authorities that the operating system trusts are trusted. */
  readonly systemCertificates?: boolean | undefined;
}

/**
 * Creates a dispatcher with pooled keep-alive connections. It uses the proxy from the settings or the environment
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`), except for this machine. The caller closes it with `dispatcher.close()`.
 * @throws Error for a proxy of another kind than HTTP
 */
export function createDispatcher(
  environment: NodeJS.ProcessEnv = process.env,
  settings: NetworkSettings = {},
): Dispatcher {
  const fromEnvironment = environment.no_proxy ?? environment.NO_PROXY ?? '';
  const noProxy = [fromEnvironment, ...(settings.noProxy ?? []), ...THIS_MACHINE].filter(Boolean);
  const { proxyAuthorization } = settings;
  const proxy = settings.proxy ? proxyUrl(settings.proxy) : undefined;
  const httpProxy = proxy ?? proxyUrl(environment.http_proxy ?? environment.HTTP_PROXY ?? '');
  const httpsProxy = proxy ?? proxyUrl(environment.https_proxy ?? environment.HTTPS_PROXY ?? '');
  const trust = trustOf(settings);
  return new EnvHttpProxyAgent({
    noProxy: fromEnvironment === '*' ? '*' : noProxy.join(','),
    httpProxy,
    httpsProxy,
    ...(proxy && proxyAuthorization ? { token: proxyAuthorization } : {}),
    ...(trust === undefined ? {} : { connect: trust, requestTls: trust, proxyTls: trust }),
    // A stream is silent while a node works; time-outs are set for each call.
    bodyTimeout: 0,
    headersTimeout: 0,
  });
}

/**
 * Completes the address of a proxy, which may lack its protocol: many programs take `proxy.example:8080`.
 * @returns an empty text for an empty one
 * @throws Error for a proxy of another kind than HTTP
 */
function proxyUrl(address: string): string {
  if (address === '') return '';
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  // The address may contain a password.
  const shown = address.replace(/\/\/.*@/, '//');
  throw new Error(
    `The address of the proxy must begin with http:// or https://, not '${shown}'. Change HTTPS_PROXY, HTTP_PROXY, or the proxy in the settings.`,
  );
}

/** The TLS options for the certificates to trust; `undefined` for Node's default. */
function trustOf({ strictSsl = true, systemCertificates = false }: NetworkSettings) {
  if (!strictSsl) return { rejectUnauthorized: false };
  // Older versions of Node cannot ask the operating system.
  if (!systemCertificates || typeof tls.getCACertificates !== 'function') return undefined;
  // The list replaces Node's own, so it includes the certificates in Node's.
  return { ca: [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])] };
}
