import { createHash } from 'node:crypto';
import type { LimitClass } from '@esd/api/operation';
import { NETWORK_SHARES } from '@esd/service/client-shares';
import { ServiceError } from '@esd/service/errors';
import { clientAt } from './client-ip.ts';
import type { GatewayConfig } from '../../config.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { rateLimitStore } from './rate-limit-store.ts';

export type LimitConfig = Pick<
  GatewayConfig,
  | 'ESD_RATE_LIMITS'
  | 'ESD_LIMIT_READS'
  | 'ESD_LIMIT_PAGES'
  | 'ESD_LIMIT_ANALYSIS'
  | 'ESD_LIMIT_EXPORTS'
  | 'ESD_LIMIT_FILES_MB'
  | 'ESD_LIMIT_SUBMISSIONS'
  | 'ESD_LIMIT_ACCOUNTS'
  | 'ESD_LIMIT_SESSIONS'
  | 'ESD_LIMIT_OTHER'
>;

export interface Limited {
  headers: RawHeaders;
  refusal?: ServiceError;
  /** Whether the request may count for an account instead of the address. */
  canUseAccount?: boolean;
}

export interface RateLimits {
  /** Counts a request of a class for an account, or else for an address. For the class `files`, only checks the bytes that were sent. */
  (limit: LimitClass | 'none', ip: string | undefined, accountId?: string): Limited;
  /** Returns whether an address has used up a class, but not tenfold, so that further requests can count for an account. */
  isUsedUp(limit: LimitClass | 'none', ip: string | undefined): boolean;
  sent(ip: string | undefined, bytes: number): void;
}

const WINDOW_SECONDS = 60;
const FILES_WINDOW_SECONDS = 3_600;
// At the lowest default limit (20), this many clients send a million requests a minute, more than a gateway serves. Takes about 20 MB per class.
const MAX_CLIENTS = 50_000;
const UNLIMITED: Limited = { headers: [] };
/** An address can exceed its limit this many times by requests of accounts. */
const ACCOUNT_SHARES = 10;

/**
 * Creates the rate limits per client and class; beyond a limit, requests are refused with RATE_LIMITED. The class `files`
 * limits bytes, because readers of ranges send many small requests; a request that begins within the limit is sent
 * completely. Responses report the remaining quota (`RateLimit`, `RateLimit-Policy`:
 * draft-ietf-httpapi-ratelimit-headers, from -08 on). Counts are per process.
 */
export function rateLimits(config: LimitConfig): RateLimits {
  if (config.ESD_RATE_LIMITS === 'off') {
    return Object.assign(() => UNLIMITED, { sent: () => undefined, isUsedUp: () => false });
  }
  const files = byteLimiter('files', config.ESD_LIMIT_FILES_MB * 1_000_000);
  const without = { isUsedUp: () => false };
  const limiters: Readonly<Record<LimitClass | 'none', ClassLimit>> = {
    none: Object.assign(() => UNLIMITED, without),
    reads: limiter('reads', config.ESD_LIMIT_READS),
    pages: limiter('pages', config.ESD_LIMIT_PAGES),
    analysis: limiter('analysis', config.ESD_LIMIT_ANALYSIS),
    exports: limiter('exports', config.ESD_LIMIT_EXPORTS),
    files: Object.assign(files.check, without),
    submissions: limiter('submissions', config.ESD_LIMIT_SUBMISSIONS),
    accounts: limiter('accounts', config.ESD_LIMIT_ACCOUNTS),
    sessions: limiter('sessions', config.ESD_LIMIT_SESSIONS),
    other: limiter('other', config.ESD_LIMIT_OTHER),
  };
  const count = (limit: LimitClass | 'none', ip: string | undefined, accountId?: string): Limited =>
    limiters[limit](ip, accountId);
  return Object.assign(count, {
    sent: files.sent,
    isUsedUp: (limit: LimitClass | 'none', ip: string | undefined) => limiters[limit].isUsedUp(ip),
  });
}

type ClassLimit = ((ip: string | undefined, accountId?: string) => Limited) & {
  isUsedUp(ip: string | undefined): boolean;
};

function limiter(name: LimitClass, limit: number): ClassLimit {
  const policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
  const ofClients = rateLimitStore(MAX_CLIENTS, WINDOW_SECONDS * 1000);
  const ofNetworks = rateLimitStore(MAX_CLIENTS, WINDOW_SECONDS * 1000);
  const headers = (remaining: number, seconds: number, partition = ''): RawHeaders => [
    'RateLimit-Policy',
    policy,
    'RateLimit',
    `"${name}";r=${remaining};t=${seconds}${partition}`,
  ];
  const refuse = (endsAt: number, max: number, from: string, partition?: string): Limited => {
    const seconds = secondsUntil(endsAt);
    const message = `More than ${max} requests of the class "${name}" came from ${from} within a minute; try again in ${seconds} s.`;
    const refusal = new ServiceError('RATE_LIMITED', message, undefined, seconds);
    return { headers: headers(0, seconds, partition), refusal };
  };
  const limitOfNetwork = limit * NETWORK_SHARES;
  const isUsedUp = (ip = ''): boolean => {
    const { hits } = ofClients(clientAt(ip).block, 0);
    return hits >= limit && hits <= limit * ACCOUNT_SHARES;
  };
  const count = (ip = '', accountId?: string): Limited => {
    const { block, network } = clientAt(ip);
    const { hits, endsAt } = ofClients(accountId ?? block);
    if (accountId !== undefined) {
      const partition = `;pk=:${createHash('sha256').update(accountId).digest().subarray(0, 6).toString('base64')}:`;
      if (hits > limit) return refuse(endsAt, limit, 'this account', partition);
      return { headers: headers(limit - hits, secondsUntil(endsAt), partition) };
    }
    if (hits > limit) {
      return { ...refuse(endsAt, limit, 'this address'), canUseAccount: hits <= limit * ACCOUNT_SHARES };
    }
    if (network !== undefined) {
      const together = ofNetworks(network);
      if (together.hits > limitOfNetwork) {
        return refuse(together.endsAt, limitOfNetwork, 'this IPv6 network (/48)');
      }
    }
    return { headers: headers(limit - hits, secondsUntil(endsAt)) };
  };
  return Object.assign(count, { isUsedUp });
}

function byteLimiter(name: LimitClass, limit: number) {
  const policy = `"${name}";q=${limit};qu="content-bytes";w=${FILES_WINDOW_SECONDS}`;
  const ofClients = rateLimitStore(MAX_CLIENTS, FILES_WINDOW_SECONDS * 1000);
  const ofNetworks = rateLimitStore(MAX_CLIENTS, FILES_WINDOW_SECONDS * 1000);
  const count = (ip: string | undefined, bytes: number) => {
    const { block, network } = clientAt(ip ?? '');
    const own = ofClients(block, bytes);
    const together = network === undefined ? undefined : ofNetworks(network, bytes);
    return { own, together };
  };
  const headers = (remaining: number, seconds: number): RawHeaders => [
    'RateLimit-Policy',
    policy,
    'RateLimit',
    `"${name}";r=${remaining};t=${seconds}`,
  ];
  const refuse = (endsAt: number, max: number, to: string): Limited => {
    const seconds = secondsUntil(endsAt);
    const message = `${max / 1_000_000} MB of files were sent to ${to} within an hour; try again in ${seconds} s.`;
    return { headers: headers(0, seconds), refusal: new ServiceError('RATE_LIMITED', message, undefined, seconds) };
  };
  return {
    check: (ip: string | undefined): Limited => {
      const { own, together } = count(ip, 0);
      if (own.hits >= limit) return refuse(own.endsAt, limit, 'this address');
      if (together && together.hits >= limit * NETWORK_SHARES) {
        return refuse(together.endsAt, limit * NETWORK_SHARES, 'this IPv6 network (/48)');
      }
      return { headers: headers(limit - own.hits, secondsUntil(own.endsAt)) };
    },
    sent: (ip: string | undefined, bytes: number): void => {
      count(ip, bytes);
    },
  };
}

function secondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1000));
}
