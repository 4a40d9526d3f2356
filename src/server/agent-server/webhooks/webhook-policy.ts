import type { LookupFunction } from 'node:net';
import type { WebhooksConfig } from '../../runtimes/project/project-config.ts';
import { isThisMachine, lookupElsewhere } from './this-machine.ts';
import { refusal, type WebhookRefusedError } from './webhook-refused.ts';

/**
 * A path on this server. `//host` and `/\host` do not match, because they are addresses of other servers.
 * Neither do texts with tabs or line breaks, because URL parsers ignore these characters.
 */
const PATH = /^\/(?![/\\])[^\t\n\r]*$/;

/**
 * The URL of a webhook, if it is allowed. `disable_loopback: false` also allows paths of this server, and `true` refuses
 * every address of this machine. By default, paths and this server's own ports are refused.
 * @param ownPorts ports of this server, which webhooks must not call.
 * @returns `own` for a path of this server.
 * @throws WebhookRefusedError
 */
export function webhookAddress(
  url: string,
  rules: WebhooksConfig['url'],
  ownPorts: ReadonlySet<number>,
): URL | 'own' {
  if (url.length > (rules.max_url_length ?? 65_536)) throw refusal('its URL is too long');
  if (PATH.test(url)) {
    if (rules.disable_loopback === false) return 'own';
    throw refusal(
      'a path calls this server itself, which is only allowed with webhooks.url.disable_loopback: false in langgraph.json',
    );
  }
  const address = URL.parse(url);
  if (address === null) throw refusal('its URL is not valid');
  if (address.protocol !== 'http:' && address.protocol !== 'https:') {
    throw refusal('its URL must start with http:// or https://');
  }
  if (rules.require_https === true && address.protocol !== 'https:') {
    throw refusal('webhooks.url.require_https in langgraph.json requires https');
  }
  const port = portOf(address);
  const denied = denialOfThisMachine(port, rules, ownPorts);
  if (denied !== undefined && isThisMachine(address.hostname)) throw denied;
  if (rules.allowed_ports && !rules.allowed_ports.includes(port)) {
    throw refusal(`port ${port} is not in webhooks.url.allowed_ports in langgraph.json`);
  }
  if (rules.allowed_domains && !rules.allowed_domains.some((domain) => matches(address.hostname, domain))) {
    throw refusal(`${address.hostname} is not in webhooks.url.allowed_domains in langgraph.json`);
  }
  return address;
}

/**
 * Makes the function that resolves the name of a webhook's host at delivery. The function refuses addresses
 * of this machine under the same conditions as `webhookAddress`: if the rules do not allow them, or the port
 * belongs to this server.
 * @returns undefined if any address is allowed.
 */
export function webhookLookup(
  address: URL,
  rules: WebhooksConfig['url'],
  ownPorts: ReadonlySet<number>,
): LookupFunction | undefined {
  const denied = denialOfThisMachine(portOf(address), rules, ownPorts);
  return denied && lookupElsewhere(() => denied);
}

/** The refusal of webhooks to this machine at a port; undefined if they are allowed. */
function denialOfThisMachine(
  port: number,
  rules: WebhooksConfig['url'],
  ownPorts: ReadonlySet<number>,
): WebhookRefusedError | undefined {
  if (rules.disable_loopback === true) {
    return refusal('webhooks.url.disable_loopback in langgraph.json does not allow this machine');
  }
  return ownPorts.has(port) ? refusal('it points to a port of this server') : undefined;
}

function portOf(address: URL): number {
  return Number(address.port || (address.protocol === 'https:' ? 443 : 80));
}

/** Whether a host matches an allowed domain. `*.example.com` matches every host below `example.com`. */
function matches(hostname: string, domain: string): boolean {
  const host = canonicalHost(hostname);
  return domain.startsWith('*.')
    ? host.endsWith(`.${canonicalHost(domain.slice('*.'.length))}`)
    : host === canonicalHost(domain);
}

/**
 * A host as URLs have it, in lower case and ASCII, without a trailing dot. Text with more than a host,
 * such as a port, stays as it is, and so matches no host.
 */
function canonicalHost(host: string): string {
  const isHost = /^(?:\[[\da-f:.]+\]|[^:/?#@[\]]+)$/i.test(host);
  const url = isHost ? URL.parse(`http://${host}`) : null;
  return (url?.hostname ?? host).replace(/\.$/, '');
}
