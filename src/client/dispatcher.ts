import type { Dispatcher } from 'undici';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/**
 * What carries requests: pooled keep-alive connections, through the proxy of the environment (`HTTPS_PROXY`,
 * `HTTP_PROXY`, `NO_PROXY`) except to this machine. Close it when done: `await dispatcher.close()`.
 */
export function createDispatcher(environment: NodeJS.ProcessEnv = process.env): Dispatcher {
  const noProxy = [environment.no_proxy ?? environment.NO_PROXY ?? '', ...THIS_MACHINE];
  return new EnvHttpProxyAgent({
    noProxy: noProxy[0] === '*' ? '*' : noProxy.join(','),
    // Streams are quiet for as long as a node thinks; time-outs are set for each call.
    bodyTimeout: 0,
    headersTimeout: 0,
  });
}
