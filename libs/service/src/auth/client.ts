import ipaddr from 'ipaddr.js';
import type { Caller } from './caller-assertion.ts';

/**
 * Who shares are counted by: the account that is signed in, else the IPv4 address or the IPv6 /64, the least that one
 * subscriber has; work that no request stands behind is one client of its own.
 */
export type ClientKey = `account ${string}` | `address ${string}` | 'internal';

/** The client of a call. `clientIp`: the address as the gateway passes it on. */
export function clientOf(call: { caller?: Caller | undefined; clientIp?: string | undefined }): ClientKey {
  if (call.caller) return `account ${call.caller.accountId}`;
  return call.clientIp === undefined ? 'internal' : `address ${addressBlock(call.clientIp)}`;
}

/** What an address stands for: IPv4 (also within IPv6) for itself, IPv6 for its /64; a text that is no address for itself. */
export function addressBlock(ip: string): string {
  return block(ip, 32, 64);
}

/** The network of an address: the /24 of IPv4, the /48 of IPv6, the most that one site is usually given. */
export function addressNetwork(ip: string): string {
  return block(ip, 24, 48);
}

function block(ip: string, ipv4Bits: number, ipv6Bits: number): string {
  if (!ipaddr.isValid(ip)) return ip;
  // An IPv4 address within IPv6 is that address.
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') {
    return ipv4Bits === 32
      ? address.toString()
      : `${ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${ipv4Bits}`).toString()}/${ipv4Bits}`;
  }
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString().replace(/%.*$/, '')}/${ipv6Bits}`);
  return `${network.toString()}/${ipv6Bits}`;
}
