import { createPublicKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { assertionVerifier, type Caller } from './caller-assertion.ts';
import type { PublicKeySet } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../health/log.ts';
import { counter } from '../health/metrics.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';
import { SERVICE_ASSERTION_TYPE } from './service-assertion.ts';

export type PeerTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface IncomingCall {
  /** The full name of the gRPC service, or `http:/` and the first segment of the internal path. */
  target: string;
  method: string;
  header: (name: string) => string | undefined;
}

export interface AuthorizedCall {
  peer: string;
  /** Undefined without a credential. */
  caller: Caller | undefined;
}

/**
 * Authenticates and authorizes a call. Throws PeerRejected, or TOKEN_INVALID for a caller assertion that is invalid for the
 * target.
 */
export type CallGuard = (call: IncomingCall) => AuthorizedCall;

/** A peer that is not authenticated (TOKEN_INVALID) or not authorized (FORBIDDEN). */
export class PeerRejected extends ServiceError {}

export interface GuardConfig {
  ESD_PEER_PUBLIC_KEYS: PublicKeySet;
  ESD_ASSERTION_PUBLIC_KEYS: PublicKeySet;
}

// A replica sends one assertion per target and 30 s, so this is enough for dozens of replicas.
const MAX_VERIFIED = 1_000;
const WARN_EVERY_MS = 10_000;

/**
 * Creates the guard of incoming calls. It authenticates peers by service assertions and authorizes only the calls in
 * `table`. Caller assertions must have the target as audience. Logs rejections at most once every 10 s.
 */
export function callGuard(config: GuardConfig, table: PeerTable, log: Logger): CallGuard {
  const rejected = counter('esd_peer_calls_rejected_total');
  const verifyPeer = serviceAssertionVerifier(config.ESD_PEER_PUBLIC_KEYS);
  const verifyAssertion = assertionVerifier(config.ESD_ASSERTION_PUBLIC_KEYS);
  const warn = throttled((suppressed, details: object, why: string) => {
    log.warn({ ...details, suppressed }, why);
  });
  return ({ target, method, header }) => {
    const presented = header(METADATA.serviceAssertion);
    const peer = presented === undefined ? undefined : verifyPeer(presented, target);
    if (peer === undefined) {
      rejected.inc({ reason: 'unproven' });
      warn({ target, method }, 'unauthenticated peer call');
      throw new PeerRejected('TOKEN_INVALID', 'The calling process is not authenticated.');
    }
    if (!allowedPeers(table, target, method).includes(peer)) {
      rejected.inc({ reason: 'not_allowed' });
      warn({ target, method, peer }, 'peer not authorized for method');
      throw new PeerRejected('FORBIDDEN', 'The calling process is not authorized for this method.');
    }
    const assertion = header(METADATA.assertion);
    return { peer, caller: assertion === undefined ? undefined : verifyAssertion(assertion, target) };
  };
}

/** Returns the processes that may call a method of a target; empty if the table has no row for it. */
export function allowedPeers(table: PeerTable, target: string, method: string): readonly string[] {
  const methods = Object.hasOwn(table, target) ? table[target] : undefined;
  return (methods && Object.hasOwn(methods, method) ? methods[method] : undefined) ?? [];
}

function serviceAssertionVerifier(keySet: PublicKeySet) {
  const keys = new Map<string, KeyObject>(
    keySet.keys.map((key) => [key.kid, createPublicKey({ key: { ...key }, format: 'jwk' })]),
  );
  // Keyed by assertion and target, oldest first.
  const verified = new Map<string, { peer: string; until: number }>();
  return (assertion: string, target: string): string | undefined => {
    const entry = `${target} ${assertion}`;
    const known = verified.get(entry);
    if (known) return known.until > Date.now() ? known.peer : undefined;
    try {
      const header = jwt.decode(assertion, { complete: true })?.header;
      const kid = header?.typ === SERVICE_ASSERTION_TYPE ? (header.kid ?? '') : '';
      const key = keys.get(kid);
      if (!key) return undefined;
      // The key id contains the name of the process, so that a key cannot sign for another process.
      const [peer = ''] = kid.split(':');
      const claims = jwt.verify(assertion, key, { algorithms: ['ES256'], issuer: peer, audience: target });
      if (typeof claims !== 'object' || claims.exp === undefined) return undefined;
      const [oldest] = verified.keys();
      if (oldest !== undefined && verified.size >= MAX_VERIFIED) verified.delete(oldest);
      verified.set(entry, { peer, until: claims.exp * 1000 });
      return peer;
    } catch {
      return undefined;
    }
  };
}

/** Passes on at most one call every 10 s, with the number of calls suppressed since the last one. */
function throttled<Arguments extends unknown[]>(pass: (suppressed: number, ...args: Arguments) => void) {
  let suppressed = 0;
  let until = 0;
  return (...args: Arguments): void => {
    const now = Date.now();
    if (now < until) {
      suppressed += 1;
      return;
    }
    pass(suppressed, ...args);
    suppressed = 0;
    until = now + WARN_EVERY_MS;
  };
}
