import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isLoopbackName } from '../../http/origin-policy.ts';

/** Loopback and unspecified addresses, including IPv4 loopback addresses in their IPv6 forms. */
const ownAddresses = new BlockList();
for (const prefix of ['127.0.0.0', '0.0.0.0']) ownAddresses.addSubnet(prefix, 8, 'ipv4');
for (const address of ['::', '::1']) ownAddresses.addAddress(address, 'ipv6');
for (const prefix of ['::7f00:0', '::ffff:0:7f00:0', '64:ff9b::7f00:0', '64:ff9b:1::7f00:0']) {
  ownAddresses.addSubnet(prefix, 104, 'ipv6');
}
ownAddresses.addSubnet('2002:7f00::', 24, 'ipv6');

/** Names for loopback addresses in the hosts files of some systems, besides `localhost`. */
const NAMES = new Set(['localhost.localdomain', 'ip6-localhost', 'ip6-loopback']);

/**
 * Whether the host of a URL is this machine, judging only by its name. `lookupElsewhere` also checks the
 * addresses of other names.
 */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return isLoopbackName(name) || NAMES.has(name) || isOwnAddress(name.replace(/^\[|\]$/g, ''));
}

function isOwnAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && ownAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Makes a function that resolves names for a connection, and refuses those that lead to this machine. The
 * connection uses the address that was checked, even if the name resolves differently later.
 * @param refusal makes the error for a name of this machine.
 */
export function lookupElsewhere(refusal: () => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const all = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      callback(error === null && all.some(isOwnAddress) ? refusal() : error, found, family);
    });
  };
}
