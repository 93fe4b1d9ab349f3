import ipaddr from 'ipaddr.js';
import type { Caller } from './auth/caller-assertion.ts';

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

/** The unit to which limits and shares of the capacity apply. */
export interface Client {
  /** The IPv4 address or the IPv6 /64. */
  block: string;
  /** The IPv6 /48, which may belong to one site. Its clients together get NETWORK_SHARES times the limit of one. */
  network: string | undefined;
}

/** Returns the client at an address. */
export function clientAt(ip: string): Client {
  if (!ip.includes(':')) return { block: ip, network: undefined };
  const block = addressBlock(ip);
  return { block, network: block.includes(':') ? addressNetwork(ip) : undefined };
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
