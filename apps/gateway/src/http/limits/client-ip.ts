import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { addressBlock, addressNetwork } from '@esd/service/auth/client';
import type { GatewayConfig } from '../../config.ts';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Whether an address is that of a trusted proxy; `hop` proxies stand between it and the gateway. */
export type TrustedProxies = (address: string, hop: number) => boolean;

/** The proxies that a setting trusts. */
export function trustedProxies(proxies: GatewayConfig['ESD_TRUSTED_PROXIES']): TrustedProxies {
  // With a number of proxies, every connection comes from the last of them.
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  const list = new BlockList();
  for (const range of proxies) {
    const [text = '', bits] = range.split('/');
    const address = plainAddress(text);
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version > 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/**
 * The address of the client, as far as the trusted proxies report it; an IPv4 address within IPv6 as IPv4. Undefined when
 * the client is gone.
 */
export function clientIp({ socket, headers }: IncomingMessage, isTrusted: TrustedProxies): string | undefined {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) return undefined;
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || !isTrusted(remoteAddress, 0)) return plainAddress(remoteAddress);
  const reported = String(forwarded).split(',');
  let address = remoteAddress;
  for (let hop = 0; reported.length > 0 && isTrusted(address, hop); hop += 1) address = reported.pop()?.trim() ?? '';
  // What a trusted proxy passed on is not always an address.
  return plainAddress(isIP(address) > 0 ? address : remoteAddress);
}

/** The scheme by which the client came, as far as a trusted proxy reports it. */
export function clientScheme({ socket, headers }: IncomingMessage, isTrusted: TrustedProxies): 'http' | 'https' {
  const isReported = headers['x-forwarded-proto'] === 'https';
  return isReported && isTrusted(socket.remoteAddress ?? '', 0) ? 'https' : 'http';
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
