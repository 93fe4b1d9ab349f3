import { isIP } from 'node:net';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { addressBlock, addressNetwork } from '@esd/service/auth/client';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The address of the client, as far as the trusted proxies report it; an IPv4 address within IPv6 as IPv4. Undefined when
 * the client is gone.
 */
export function clientIp(request: Request): string | undefined {
  const { ip } = request;
  // What a trusted proxy passed on is not always an address.
  const address = ip !== undefined && isIP(ip) > 0 ? ip : request.socket.remoteAddress;
  return address === undefined ? undefined : plainAddress(address);
}

/** An IPv4 address within IPv6 as IPv4, any other text as it is. */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address;
}

/** The client that a share or a limit is counted for. */
export interface Client {
  /** The IPv4 address or the IPv6 /64. */
  block: string;
  /** The IPv6 /48, of which one site may have all; NETWORK_SHARES clients of it together get what they want. */
  network: string | undefined;
}

// To take an IPv6 address apart costs more than all the rest of a limit.
const clients = new LRUCache<string, Client>({ max: 10_000 });

/** The client behind an address. */
export function clientAt(ip: string): Client {
  if (!ip.includes(':')) return { block: ip, network: undefined };
  const known = clients.get(ip);
  if (known) return known;
  const block = addressBlock(ip);
  const client = { block, network: block.includes(':') ? addressNetwork(ip) : undefined };
  clients.set(ip, client);
  return client;
}
