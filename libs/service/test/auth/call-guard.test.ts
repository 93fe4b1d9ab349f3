import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { pino } from 'pino';
import { PEERS } from '@esd/proto/peers';
import { ASSERTION } from '../../src/auth/caller-assertion.ts';
import type { PublicKeySet } from '../../src/config.ts';
import { allowedPeers, callGuard, PeerRejected } from '../../src/auth/call-guard.ts';
import { httpTargetOf } from '../../src/auth/call-target.ts';
import { METADATA } from '../../src/rpc/rpc-metadata.ts';
import { SERVICE_ASSERTION_TYPE, serviceAssertions } from '../../src/auth/service-assertion.ts';

const ACCOUNT = '0190d2b0-0000-7000-8000-000000000001';
const LISTS = { target: 'esd.dataset.v1.ReferenceService', method: 'GetLists' };
const SCANS = { target: 'esd.dataset.v1.DatasetService', method: 'ScanRecords' };

/** Generates a P-256 key pair as two JWKs. */
function newKey(kid: string) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const open = { kty: 'EC', crv: 'P-256', x, y, kid } as const;
  return { open, secret: { ...open, d }, privateKey };
}

const gateway = newKey('gateway:1');
const media = newKey('media-svc:1');
const identity = newKey('a');

const proofOf = (service: string, key: ReturnType<typeof newKey>) =>
  serviceAssertions(service, { ESD_SERVICE_PRIVATE_KEYS: { keys: [key.secret] } });

function startGuard(peerKeys: PublicKeySet['keys'] = [gateway.open, media.open]) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) });
  const guard = callGuard(
    { ESD_PEER_PUBLIC_KEYS: { keys: peerKeys }, ESD_ASSERTION_PUBLIC_KEYS: { keys: [identity.open] } },
    PEERS,
    log,
  );
  const call = (where: { target: string; method: string }, headers: Readonly<Record<string, string>>) =>
    guard({ ...where, header: (name) => headers[name] });
  return { call, lines };
}

/** Returns the code of a rejection, and whether it is a PeerRejected; 'accepted' if the call is not rejected. */
function rejection(act: () => unknown): [string, boolean] | 'accepted' {
  try {
    act();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return [String(error.code), error instanceof PeerRejected];
  }
}

const UNKNOWN = ['TOKEN_INVALID', true];
const FORBIDDEN = ['FORBIDDEN', true];

function sign(key: ReturnType<typeof newKey>, options: jwt.SignOptions, type = SERVICE_ASSERTION_TYPE): string {
  return jwt.sign({}, key.privateKey, {
    algorithm: 'ES256',
    keyid: key.open.kid,
    issuer: 'gateway',
    audience: LISTS.target,
    expiresIn: 60,
    header: { alg: 'ES256', typ: type },
    ...options,
  });
}

const assertionFor = (audience: string): string =>
  jwt.sign({ role: 'ADMIN', credential: 'session' }, identity.privateKey, {
    algorithm: 'ES256',
    keyid: identity.open.kid,
    subject: ACCOUNT,
    issuer: ASSERTION.issuer,
    audience,
    expiresIn: 60,
    header: { alg: 'ES256', typ: ASSERTION.type },
  });

test.each([
  ['esd.dataset.v1.DatasetService', 'DropAll'],
  ['esd.dataset.v1.NoService', 'GetHead'],
  ['constructor', 'name'],
  ['http:/images', 'DELETE'],
  ['', ''],
])('no process may call %s %s', (target, method) => {
  expect(allowedPeers(PEERS, target, method)).toEqual([]);
});

test.each([
  ['/images/1/content', 'http:/images'],
  ['/images?x=/data', 'http:/images'],
  ['/', 'http:/'],
  ['', 'http:/'],
])('the target of %s is %s', (path, target) => {
  expect(httpTargetOf(path)).toBe(target);
});

describe('a process', () => {
  test('is authenticated by its assertion, for the target of the assertion only', () => {
    const { call } = startGuard();
    const proof = proofOf('gateway', gateway);
    expect(call(LISTS, proof(LISTS.target))).toEqual({ peer: 'gateway', caller: undefined });
    expect(rejection(() => call({ ...SCANS, method: 'GetHead' }, proof(LISTS.target)))).toEqual(UNKNOWN);
  });

  test('may call only the methods in the table', () => {
    const { call } = startGuard();
    const proof = proofOf('media-svc', media);
    const uses = { target: 'esd.submission.v1.ImageUseService', method: 'FindImageUses' };
    expect(call(uses, proof(uses.target))).toEqual({ peer: 'media-svc', caller: undefined });
    for (const where of [LISTS, SCANS, { target: 'esd.identity.v1.AdministrationService', method: 'ListAccounts' }]) {
      expect(rejection(() => call(where, proof(where.target)))).toEqual(FORBIDDEN);
    }
  });

  test.each([
    ['nothing', {}],
    ['nonsense', { [METADATA.serviceAssertion]: 'nonsense' }],
    ['the name of another process', { [METADATA.serviceAssertion]: sign(media, { issuer: 'gateway' }) }],
    ['the key id of another process', { [METADATA.serviceAssertion]: sign(media, { keyid: gateway.open.kid }) }],
    ['an unknown key', { [METADATA.serviceAssertion]: sign(newKey('gateway:2'), {}) }],
    ['an expired assertion', { [METADATA.serviceAssertion]: sign(gateway, { expiresIn: -1 }) }],
    ['another type', { [METADATA.serviceAssertion]: sign(gateway, {}, ASSERTION.type) }],
    ['the assertion of a caller', { [METADATA.serviceAssertion]: assertionFor(LISTS.target) }],
  ] as [string, Record<string, string>][])(
    'with %s is not authenticated, without a stack trace in the log',
    (_, headers) => {
      const { call, lines } = startGuard();
      for (let i = 0; i < 100; i += 1) expect(rejection(() => call(LISTS, headers))).toEqual(UNKNOWN);
      expect(lines.length).toBe(1);
      expect(lines[0]).toContain('unauthenticated peer call');
      expect(lines[0]).not.toMatch(/stack|\bat /);
    },
  );

  test('may have two keys during a key rotation', () => {
    const next = newKey('gateway:2');
    const { call } = startGuard([gateway.open, next.open]);
    for (const key of [gateway, next])
      expect(call(LISTS, proofOf('gateway', key)(LISTS.target))).toMatchObject({ peer: 'gateway' });
  });

  test('reuses an assertion for several calls', () => {
    const proof = proofOf('gateway', gateway);
    expect(proof(LISTS.target)).toBe(proof(LISTS.target));
    expect(proof(LISTS.target)).not.toEqual(proof(SCANS.target));
  });
});

describe('the caller behind a call', () => {
  const proof = proofOf('gateway', gateway)(LISTS.target);
  const behind = (audience: string) =>
    rejection(() => startGuard().call(LISTS, { ...proof, [METADATA.assertion]: assertionFor(audience) }));

  test('comes only from an assertion for the target', () => {
    const headers = { ...proof, [METADATA.assertion]: assertionFor(LISTS.target) };
    expect(startGuard().call(LISTS, headers).caller).toEqual({
      accountId: ACCOUNT,
      role: 'ADMIN',
      credential: 'session',
    });
    expect(behind(SCANS.target)).toEqual(['TOKEN_INVALID', false]);
    expect(behind('esd-services')).toEqual(['TOKEN_INVALID', false]);
  });
});
