import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { GatewayConfig } from '../../config.ts';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns whether an address is a trusted proxy. `hop` is the number of proxies between it and the gateway. */
export type TrustedProxies = (address: string, hop: number) => boolean;

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

/** Returns the client address reported by trusted proxies, IPv4-mapped ones as IPv4; undefined after a disconnect. */
export function clientIp({ socket, headers }: IncomingMessage, isTrusted: TrustedProxies): string | undefined {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) return undefined;
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || !isTrusted(remoteAddress, 0)) return plainAddress(remoteAddress);
  const reported = String(forwarded).split(',');
  let address = remoteAddress;
  for (let hop = 0; reported.length > 0 && isTrusted(address, hop); hop += 1) address = reported.pop()?.trim() ?? '';
  // Trusted proxies may forward values that are not addresses.
  return plainAddress(isIP(address) > 0 ? address : remoteAddress);
}

export function clientScheme({ socket, headers }: IncomingMessage, isTrusted: TrustedProxies): 'http' | 'https' {
  const isReported = headers['x-forwarded-proto'] === 'https';
  return isReported && isTrusted(socket.remoteAddress ?? '', 0) ? 'https' : 'http';
}

/** Converts an IPv4-mapped IPv6 address to IPv4; returns other texts unchanged. */
export function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address;
}
