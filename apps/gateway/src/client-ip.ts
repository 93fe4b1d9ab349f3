import { isIP } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The address of the client, as far as the trusted proxies tell it; an IPv4 address within IPv6 as IPv4. Undefined when
 * the client is gone.
 */
export function clientIp(request: Request): string | undefined {
  const { ip } = request;
  // What a trusted proxy passed on is not always an address.
  const address = ip !== undefined && isIP(ip) > 0 ? ip : request.socket.remoteAddress;
  return address === undefined ? undefined : (MAPPED.exec(address)?.[1] ?? address);
}

// To take an IPv6 address apart costs more than all the rest of a limit.
const blocks = new LRUCache<string, string>({ max: 10_000 });

/** Whom an address stands for: IPv4 for itself, IPv6 for its /64, since one subscriber has at least that. */
export function addressBlock(ip: string): string {
  if (!ip.includes(':')) return ip;
  const known = blocks.get(ip);
  if (known !== undefined) return known;
  const block = ipKeyGenerator(ip, 64);
  blocks.set(ip, block);
  return block;
}
