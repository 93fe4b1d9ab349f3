import { createPublicKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { assertionVerifier, type Caller } from './caller-assertion.ts';
import type { PublicKeySet } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../health/log.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';
import { SERVICE_ASSERTION_TYPE } from './service-assertion.ts';

/** The processes that may call each method of each target. */
export type PeerTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** A call between processes as it arrives. */
export interface ArrivingCall {
  /** The gRPC service by its full name, or `http:/` and the first segment of the internal path. */
  target: string;
  method: string;
  /** The first text of a header or metadata key. */
  header: (name: string) => string | undefined;
}

/** Who calls, and who stands behind the call. */
export interface Admitted {
  /** The process that calls. */
  peer: string;
  /** Undefined when nobody presented a credential. */
  caller: Caller | undefined;
}

/** Lets a call in. Throws PeerRefused, and TOKEN_INVALID for a caller's assertion that is not good here. */
export type CallGuard = (call: ArrivingCall) => Admitted;

/** A process that did not prove itself (TOKEN_INVALID), or may not do what it asks for (FORBIDDEN). */
export class PeerRefused extends ServiceError {}

/** The settings that it takes. */
export interface GuardConfig {
  ESD_PEER_PUBLIC_KEYS: PublicKeySet;
  ESD_ASSERTION_PUBLIC_KEYS: PublicKeySet;
}

// One a sender, target and half minute, so that this holds those of dozens of copies.
const MAX_VERIFIED = 1_000;
const WARN_EVERY_MS = 10_000;

/**
 * Makes the guard before the calls of other processes: it knows them by their service assertions and allows the calls of `table` alone.
 * It accepts only callers' assertions that are made for the target. A refusal is one line of the log, at most every 10 s.
 */
export function callGuard(config: GuardConfig, table: PeerTable, log: Logger): CallGuard {
  const provenBy = serviceAssertionVerifier(config.ESD_PEER_PUBLIC_KEYS);
  const verifyAssertion = assertionVerifier(config.ESD_ASSERTION_PUBLIC_KEYS);
  const warn = throttled((suppressed, details: object, why: string) => {
    log.warn({ ...details, suppressed }, why);
  });
  return ({ target, method, header }) => {
    const presented = header(METADATA.serviceAssertion);
    const peer = presented === undefined ? undefined : provenBy(presented, target);
    if (peer === undefined) {
      warn({ target, method }, 'a process that did not prove itself called');
      throw new PeerRefused('TOKEN_INVALID', 'The calling process did not prove itself.');
    }
    if (!allowedPeers(table, target, method).includes(peer)) {
      warn({ target, method, peer }, 'a process called what it may not');
      throw new PeerRefused('FORBIDDEN', 'The calling process may not do this.');
    }
    const assertion = header(METADATA.assertion);
    return { peer, caller: assertion === undefined ? undefined : verifyAssertion(assertion, target) };
  };
}

/** Returns the processes that may call a method of a target: none where the table has no row for it. */
export function allowedPeers(table: PeerTable, target: string, method: string): readonly string[] {
  const methods = Object.hasOwn(table, target) ? table[target] : undefined;
  return (methods && Object.hasOwn(methods, method) ? methods[method] : undefined) ?? [];
}

/** Makes the check of a service assertion; it gives the name of the process, or undefined. */
function serviceAssertionVerifier(keySet: PublicKeySet) {
  const keys = new Map<string, KeyObject>(
    keySet.keys.map((key) => [key.kid, createPublicKey({ key: { ...key }, format: 'jwk' })]),
  );
  // By their whole text and target, the oldest first.
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
      // The name of a key says whose it is: nobody signs in another's name.
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

/** Passes on one call in 10 s, with how many were left out since. */
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
