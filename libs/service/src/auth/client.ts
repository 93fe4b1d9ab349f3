import ipaddr from 'ipaddr.js';
import type { Caller } from './caller-assertion.ts';

/**
 * The unit of quotas: the signed-in account, or else the IPv4 address or the IPv6 /64, the smallest block that a
 * subscriber gets.
 * Work without a request is `internal`.
 */
export type ClientKey = `account ${string}` | `address ${string}` | 'internal';

/** Returns the client of a call. `clientIp` is the address that the gateway passes on. */
export function clientOf(call: { caller?: Caller | undefined; clientIp?: string | undefined }): ClientKey {
  if (call.caller) return `account ${call.caller.accountId}`;
  return call.clientIp === undefined ? 'internal' : `address ${addressBlock(call.clientIp)}`;
}

/** Returns an IPv4 address (also if mapped to IPv6), or the /64 of an IPv6 address. Returns other texts unchanged. */
export function addressBlock(ip: string): string {
  return block(ip, 32, 64);
}

/** Returns the network of an address: the IPv4 /24, or the IPv6 /48, the usual block for a site. */
export function addressNetwork(ip: string): string {
  return block(ip, 24, 48);
}

function block(ip: string, ipv4Bits: number, ipv6Bits: number): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') {
    return ipv4Bits === 32
      ? address.toString()
      : `${ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${ipv4Bits}`).toString()}/${ipv4Bits}`;
  }
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString().replace(/%.*$/, '')}/${ipv6Bits}`);
  return `${network.toString()}/${ipv6Bits}`;
}
