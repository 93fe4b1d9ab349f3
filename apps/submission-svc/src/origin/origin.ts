import { createHmac, hkdfSync } from 'node:crypto';
import { addressNetwork } from '@esd/service/quota-client';

/** Maximum number of days for which an origin is stored. */
export const ORIGIN_DAYS = 90;
const DAY_MS = 86_400_000;

/** Returns the keyed hashes of a sender, one for each month of stored rows, newest first. A new row gets the first one. */
export type OriginsOf = (sender: string, now?: Date) => [string, ...string[]];

/** Returns the sender for limits without an account: the /24 of an IPv4 address, or the /48 of an IPv6 address. */
export function networkOf(clientIp: string | undefined): string {
  return `network ${addressNetwork(clientIp ?? '')}`;
}

/** Derives a key for each month from the secret `key`, so that origins of different months cannot be linked. */
export function originsBy(key: string): OriginsOf {
  const origin = (sender: string, month: Date): string => {
    const monthly = hkdfSync('sha256', key, '', `esd origin ${month.toISOString().slice(0, 7)}`, 32);
    return createHmac('sha256', Buffer.from(monthly)).update(sender).digest('base64url').slice(0, 22);
  };
  return (sender, now = new Date()) => {
    const oldest = new Date(now.getTime() - ORIGIN_DAYS * DAY_MS);
    const origins: [string, ...string[]] = [origin(sender, now)];
    for (let month = monthBefore(now); month >= monthOf(oldest); month = monthBefore(month)) {
      origins.push(origin(sender, month));
    }
    return origins;
  };
}

function monthOf(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
}

function monthBefore(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1));
}
