import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isLoopbackName } from '../../http/origin-policy.ts';

/** Loopback and unspecified addresses, of IPv4 also in the forms of IPv6 that contain it. */
const addresses = new BlockList();
for (const prefix of ['127.0.0.0', '0.0.0.0']) addresses.addSubnet(prefix, 8, 'ipv4');
for (const address of ['::', '::1']) addresses.addAddress(address, 'ipv6');
for (const prefix of ['::7f00:0', '::ffff:0:7f00:0', '64:ff9b::7f00:0', '64:ff9b:1::7f00:0']) {
  addresses.addSubnet(prefix, 104, 'ipv6');
}
addresses.addSubnet('2002:7f00::', 24, 'ipv6');

/** Names that systems give to loopback addresses, beside `localhost`. */
const NAMES = new Set(['localhost.localdomain', 'ip6-localhost', 'ip6-loopback']);

/** Whether the host of a URL is this machine, as far as its name says; `lookupOnly` looks at what it resolves to. */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return isLoopbackName(name) || NAMES.has(name) || isOwnAddress(name.replace(/^\[|\]$/g, ''));
}

function isOwnAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && addresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Resolves names for a connection, which is not made when a name leads to this machine: the address that is looked at
 * is the one that is connected to, whatever the name resolves to at other times.
 * @param refusal the error instead.
 */
export function lookupElsewhere(refusal: () => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const all = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      callback(error === null && all.some(isOwnAddress) ? refusal() : error, found, family);
    });
  };
}
