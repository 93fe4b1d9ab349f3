import { createPublicKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { Credential, Role } from '@esd/proto/esd/identity/v1/identity';
import { assertionVerifier } from '@esd/service/auth/caller-assertion';
import { encodePart, forgeEs256, forgeHs256 } from './forge.ts';
import {
  ADMIN,
  assertionsOf,
  call,
  codeOf,
  type IdentityUnderTest,
  type Key,
  loginAdmin,
  loginAgain,
  newKey,
  startIdentity,
} from './identity-service.ts';

const sessionClaims = z.object({
  sub: z.string(),
  sid: z.string(),
  iat: z.number(),
  exp: z.number(),
  iss: z.string(),
  aud: z.string(),
});

const TARGET = 'esd.identity.v1.IdentityService';

describe('resolving a bearer token', () => {
  let identity: IdentityUnderTest;
  let token: string;
  let claims: z.output<typeof sessionClaims>;
  beforeAll(async () => {
    identity = await startIdentity();
    await loginAdmin(identity);
  });
  beforeEach(async () => {
    await identity.database.updateTable('account').set({ enabled: true, role: 'ADMIN' }).execute();
    ({ token } = await loginAgain(identity.client));
    claims = sessionClaims.parse(jwt.decode(token));
  });
  afterAll(() => identity.stop());

  const resolve = (bearer: string) => identity.client.resolveBearer({ bearer }, call());
  const codeFor = (bearer: string) => codeOf(resolve(bearer));
  const assertionFor = async (bearer: string) => (await assertionsOf(identity, bearer)).get(TARGET) ?? '';

  test('returns the account and one assertion per target, which other targets reject', async () => {
    const targets = ['esd.dataset.v1.SnapshotService', 'http:/images'];
    const answer = await identity.client.resolveBearer({ bearer: token, targets }, call());
    expect(answer).toMatchObject({ role: Role.ROLE_ADMIN, credential: Credential.CREDENTIAL_SESSION });
    expect(answer.assertions.map(({ target }) => target)).toEqual(targets);
    const verify = assertionVerifier({ keys: [publicJwk(identity.assertionKey)] });
    for (const { target, assertion } of answer.assertions) {
      expect(verify(assertion, target).accountId).toBe(answer.accountId);
      expect(() => verify(assertion, 'esd.identity.v1.AdministrationService')).toThrow('not valid');
    }
    const many = Array.from({ length: 9 }, () => 'http:/images');
    await expect(codeOf(identity.client.resolveBearer({ bearer: token, targets: many }, call()))).resolves.toBe(
      'INVALID_REQUEST',
    );
  });

  test('returns an assertion that the services accept for a minute', async () => {
    const assertion = await assertionFor(token);
    const verify = assertionVerifier({ keys: [publicJwk(identity.assertionKey)] });
    expect(verify(assertion, TARGET)).toEqual({
      accountId: claims.sub,
      role: 'ADMIN',
      credential: 'session',
      sessionId: claims.sid,
    });
    const { iat, exp } = z.object({ iat: z.number(), exp: z.number() }).parse(jwt.decode(assertion));
    expect(exp - iat).toBe(60);
  });

  test('uses the current role of the account', async () => {
    const verify = assertionVerifier({ keys: [publicJwk(identity.assertionKey)] });
    await identity.database.updateTable('account').set({ role: 'USER' }).execute();
    const assertion = await assertionFor(token);
    expect(verify(assertion, TARGET).role).toBe('USER');
  });

  test('returns TOKEN_REVOKED as soon as the session ends or the account is disabled or deleted', async () => {
    await identity.database.updateTable('account').set({ enabled: false }).execute();
    await expect(codeFor(token)).resolves.toBe('TOKEN_REVOKED');
    await identity.database.updateTable('account').set({ enabled: true }).execute();
    await expect(codeFor(token)).resolves.toBe('OK');
    await identity.database.updateTable('session').set({ ended_at: new Date() }).execute();
    await expect(codeFor(token)).resolves.toBe('TOKEN_REVOKED');
    await identity.database.updateTable('session').set({ ended_at: null }).execute();
    await identity.database.deleteFrom('account').execute();
    await expect(codeFor(token)).resolves.toBe('TOKEN_REVOKED');
    await identity.client.createFirstAdmin(ADMIN, call());
  });

  test('returns TOKEN_EXPIRED for a token that is valid except for its age', async () => {
    const old = sign({ ...claims, iat: claims.iat - 3600, exp: claims.iat - 1 });
    await expect(codeFor(old)).resolves.toBe('TOKEN_EXPIRED');
  });

  const sign = (payload: object, header: object = {}, key: Key = identity.sessionKey): string =>
    forgeEs256(payload, key, header);

  test('accepts an unmodified token from the forging helper', async () => {
    await expect(codeFor(sign(claims))).resolves.toBe('OK');
  });

  const forged: [string, () => string | Promise<string>][] = [
    ['nothing', () => ''],
    ['any text', () => 'hello'],
    ['garbage in three parts', () => 'a.b.c'],
    ['a header that is not JSON', () => `${Buffer.from('{').toString('base64url')}.${encodePart(claims)}.x`],
    ['a personal access token', () => `esd_pat_${'a'.repeat(46)}`],
    ['a very long text', () => `${token}${'A'.repeat(100_000)}`],
    [
      'alg none',
      () => `${encodePart({ alg: 'none', typ: 'JWT', kid: identity.sessionKey.kid })}.${encodePart(claims)}.`,
    ],
    [
      'alg none with the old signature',
      () => token.replace(/^[^.]*/, encodePart({ alg: 'none', typ: 'JWT', kid: identity.sessionKey.kid })),
    ],
    ['HS256 with the public key as PEM', () => hmac(publicKey().export({ type: 'spki', format: 'pem' }))],
    ['HS256 with the public key as DER', () => hmac(publicKey().export({ type: 'spki', format: 'der' }))],
    ['HS256 with the public key as JWK', () => hmac(JSON.stringify(publicJwk(identity.sessionKey)))],
    ['ES256 by an unknown key with our kid', () => sign(claims, { kid: identity.sessionKey.kid }, newKey())],
    [
      'ES256 by the assertion key with our kid',
      () => sign(claims, { kid: identity.sessionKey.kid }, identity.assertionKey),
    ],
    ['ES256 by the assertion key', () => sign(claims, {}, identity.assertionKey)],
    ['an unknown kid', () => sign(claims, { kid: randomUUID() })],
    ['another type', () => sign(claims, { typ: 'at+jwt' })],
    ['the type of an assertion', () => sign(claims, { typ: 'esd-assertion+jwt' })],
    ['another issuer', () => sign({ ...claims, iss: 'someone' })],
    ['another audience', () => sign({ ...claims, aud: 'esd-services' })],
    ['no audience', () => sign({ ...claims, aud: undefined })],
    ['an expired token with another audience', () => sign({ ...claims, aud: 'other', exp: claims.iat - 1 })],
    ['an issue time in the future', () => sign({ ...claims, iat: claims.iat + 60 })],
    ['a validity start in the future', () => sign({ ...claims, nbf: claims.iat + 60 })],
    ['no expiry', () => sign({ ...claims, exp: undefined })],
    ['no session', () => sign({ ...claims, sid: undefined })],
    ['a session that is not a UUID', () => sign({ ...claims, sid: "' or true --" })],
    [
      'another payload with the old signature',
      () => token.replace(/\.[^.]*\./, `.${encodePart({ ...claims, sub: randomUUID() })}.`),
    ],
    ['an assertion', () => assertionFor(token)],
  ];
  const publicKey = () => createPublicKey({ key: publicJwk(identity.sessionKey), format: 'jwk' });
  const hmac = (secret: string | Buffer): string => forgeHs256(claims, identity.sessionKey.kid, secret);

  test.each(forged)('is TOKEN_INVALID for %s', async (_case, make) => {
    await expect(codeFor(await make())).resolves.toBe('TOKEN_INVALID');
  });

  test('returns TOKEN_REVOKED for a token that names an account other than that of its session', async () => {
    await expect(codeFor(sign({ ...claims, sub: randomUUID() }))).resolves.toBe('TOKEN_REVOKED');
  });
});

function publicJwk({ kty, crv, x, y, kid }: Key) {
  return { kty, crv, x, y, kid };
}

describe('during a key rotation', () => {
  const [old, recent] = [newKey(), newKey()];
  const replicas: IdentityUnderTest[] = [];
  const startReplica = async (sessionKeys: Key[]): Promise<IdentityUnderTest> => {
    const replica = await startIdentity({ sessionKeys, databaseUrl: replicas[0]?.databaseUrl });
    replicas.push(replica);
    return replica;
  };
  afterAll(async () => {
    for (const replica of replicas.reverse()) await replica.stop();
  });

  test('tokens of the old key remain valid until it is removed', async () => {
    const before = await startReplica([old]);
    const { token } = await loginAdmin(before);
    const during = await startReplica([recent, old]);
    await expect(codeOf(during.client.resolveBearer({ bearer: token }, call()))).resolves.toBe('OK');
    const renewed = await loginAgain(during.client);
    expect(jwt.decode(renewed.token, { complete: true })?.header.kid).toBe(recent.kid);
    const after = await startReplica([recent]);
    await expect(codeOf(after.client.resolveBearer({ bearer: renewed.token }, call()))).resolves.toBe('OK');
    await expect(codeOf(after.client.resolveBearer({ bearer: token }, call()))).resolves.toBe('TOKEN_INVALID');
  });
});
