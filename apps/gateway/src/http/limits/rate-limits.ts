import { createHash } from 'node:crypto';
import { ALLOWANCES } from '@esd/api/allowances';
import type { LimitClass } from '@esd/api/operation';
import { clientAt } from '@esd/service/quota-client';
import { NETWORK_SHARES } from '@esd/service/client-shares';
import { ServiceError } from '@esd/service/errors';
import type { GatewayConfig } from '../../config.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { type Counted, rateLimitStore } from './rate-limit-store.ts';

export type LimitConfig = Pick<GatewayConfig, 'ESD_RATE_LIMITS' | (typeof ALLOWANCES.requests)[LimitClass]['setting']>;

/** The amount of a class that an address may use in a window: requests, or bytes that are sent to it. */
interface ClassAllowance {
  amount: number;
  seconds: number;
  isBytes: boolean;
}

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
  /** Counts bytes of files that were sent to an address. */
  sent(ip: string | undefined, bytes: number): void;
}

// At the lowest default limit (20), this many clients send a million requests a minute, more than a gateway serves. Takes about 20 MB per class.
const MAX_CLIENTS = 50_000;
const UNLIMITED: Limited = { headers: [] };
/** An address can exceed its limit this many times by requests of accounts. */
const ACCOUNT_SHARES = 10;
const SECONDS = { minute: 60, hour: 3_600 };

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
  const limits = new Map<string, ClassLimit>();
  for (const [name, { setting, window, ...rest }] of Object.entries(ALLOWANCES.requests)) {
    const isBytes = 'unit' in rest;
    const amount = config[setting] * (isBytes ? 1_000_000 : 1);
    limits.set(name, new ClassLimit(name, { amount, seconds: SECONDS[window], isBytes }));
  }
  const count = (limit: LimitClass | 'none', ip = '', accountId?: string): Limited =>
    limits.get(limit)?.count(ip, accountId) ?? UNLIMITED;
  return Object.assign(count, {
    sent: (ip = '', bytes: number) => limits.get('files')?.add(ip, bytes),
    isUsedUp: (limit: LimitClass | 'none', ip = '') => limits.get(limit)?.isUsedUp(ip) ?? false,
  });
}

/** Counts the use of one class: by address, by IPv6 network (/48) with NETWORK_SHARES times the amount, and by account. */
class ClassLimit {
  readonly #name: string;
  readonly #allowance: ClassAllowance;
  readonly #policy: string;
  readonly #ofClients: ReturnType<typeof rateLimitStore>;
  readonly #ofNetworks: ReturnType<typeof rateLimitStore>;

  constructor(name: string, allowance: ClassAllowance) {
    this.#name = name;
    this.#allowance = allowance;
    const unit = allowance.isBytes ? 'qu="content-bytes";' : '';
    this.#policy = `"${name}";q=${allowance.amount};${unit}w=${allowance.seconds}`;
    this.#ofClients = rateLimitStore(MAX_CLIENTS, allowance.seconds * 1000);
    this.#ofNetworks = rateLimitStore(MAX_CLIENTS, allowance.seconds * 1000);
  }

  isUsedUp(ip: string): boolean {
    const { amount, isBytes } = this.#allowance;
    const { hits } = this.#ofClients(clientAt(ip).block, 0);
    return !isBytes && hits >= amount && hits <= amount * ACCOUNT_SHARES;
  }

  add(ip: string, hits: number): void {
    const { block, network } = clientAt(ip);
    this.#ofClients(block, hits);
    if (network !== undefined) this.#ofNetworks(network, hits);
  }

  count(ip: string, accountId: string | undefined): Limited {
    const { amount, isBytes } = this.#allowance;
    const hits = isBytes ? 0 : 1;
    const { block, network } = clientAt(ip);
    const client = this.#ofClients(accountId ?? block, hits);
    if (accountId !== undefined) {
      const partition = `;pk=:${createHash('sha256').update(accountId).digest().subarray(0, 6).toString('base64')}:`;
      if (this.#isBeyond(client, amount)) return this.#refuse(client, amount, 'this account', partition);
      return { headers: this.#headers(client, partition) };
    }
    if (this.#isBeyond(client, amount)) {
      const canUseAccount = !isBytes && client.hits <= amount * ACCOUNT_SHARES;
      return { ...this.#refuse(client, amount, 'this address'), canUseAccount };
    }
    const together = network === undefined ? undefined : this.#ofNetworks(network, hits);
    const ofNetwork = amount * NETWORK_SHARES;
    if (together && this.#isBeyond(together, ofNetwork)) {
      return this.#refuse(together, ofNetwork, 'this IPv6 network (/48)');
    }
    return { headers: this.#headers(client) };
  }

  /** A count of requests includes the current one; bytes are counted while they are sent. */
  #isBeyond({ hits }: Counted, max: number): boolean {
    return this.#allowance.isBytes ? hits >= max : hits > max;
  }

  #headers({ hits, endsAt }: Counted, partition = ''): RawHeaders {
    const remaining = Math.max(0, this.#allowance.amount - hits);
    return [
      'RateLimit-Policy',
      this.#policy,
      'RateLimit',
      `"${this.#name}";r=${remaining};t=${secondsUntil(endsAt)}${partition}`,
    ];
  }

  #refuse({ endsAt }: Counted, max: number, client: string, partition?: string): Limited {
    const seconds = secondsUntil(endsAt);
    const message = this.#allowance.isBytes
      ? `${max / 1_000_000} MB of files were sent to ${client} within an hour; try again in ${seconds} s.`
      : `More than ${max} requests of the class "${this.#name}" came from ${client} within a minute; try again in ${seconds} s.`;
    const headers = this.#headers({ hits: Infinity, endsAt }, partition);
    return { headers, refusal: new ServiceError('RATE_LIMITED', message, { retryAfterSeconds: seconds }) };
  }
}

function secondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1000));
}
