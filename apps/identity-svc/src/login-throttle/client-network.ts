import { isIPv6 } from 'node:net';

/** Whom an address stands for: IPv4 for itself, IPv6 for its /64, since one subscriber has at least that. */
export function clientNetwork(ip: string): string {
  if (!isIPv6(ip) || ip.includes('%')) return ip;
  // The canonical form (RFC 5952), without dots.
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
