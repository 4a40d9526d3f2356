import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isLoopbackName } from '../../http/origin-policy.ts';

/** Loopback and unspecified addresses, including IPv4 addresses in IPv6 form. */
const addresses = new BlockList();
for (const prefix of ['127.0.0.0', '0.0.0.0']) addresses.addSubnet(prefix, 8, 'ipv4');
for (const address of ['::', '::1']) addresses.addAddress(address, 'ipv6');
for (const prefix of ['::7f00:0', '::ffff:0:7f00:0', '64:ff9b::7f00:0', '64:ff9b:1::7f00:0']) {
  addresses.addSubnet(prefix, 104, 'ipv6');
}
addresses.addSubnet('2002:7f00::', 24, 'ipv6');

/** Names that systems give to loopback addresses, beside `localhost`. */
const NAMES = new Set(['localhost.localdomain', 'ip6-localhost', 'ip6-loopback']);

/**
 * Whether the host of a URL is this machine, judging by its name; `lookupOnly` checks the address that it resolves
 * to.
 */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return isLoopbackName(name) || NAMES.has(name) || isOwnAddress(name.replace(/^\[|\]$/g, ''));
}

function isOwnAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && addresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Resolves names for a connection, which is not made when a name leads to this machine: the checked address is the
 * one that is connected to, even if the name resolves differently later.
 * @param refusal the error for this machine.
 */
export function lookupElsewhere(refusal: () => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const all = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      callback(error === null && all.some(isOwnAddress) ? refusal() : error, found, family);
    });
  };
}
