import { createHmac, hkdfSync } from 'node:crypto';
import { addressNetwork } from '@esd/service/auth/client';

/** How long an origin is kept at most, in days. */
export const ORIGIN_DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * What is kept instead of who sent something: keyed hashes of that, one with the key of each month that rows may be from,
 * the one of now first. A new row takes the first; rows of the same sender have any of them.
 */
export type OriginsOf = (sender: string, now?: Date) => [string, ...string[]];

/** The sender that shares without an account are counted by: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function networkOf(clientIp: string | undefined): string {
  return `network ${addressNetwork(clientIp ?? '')}`;
}

/** Origins by the secret `key`, from which a key of each month is derived: origins of different months cannot be linked to one sender. */
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
