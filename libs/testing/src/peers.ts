import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { ASSERTION, type Caller } from '@esd/service/auth/caller-assertion';
import type { CallGuard } from '@esd/service/auth/call-guard';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { type ServiceAssertions, serviceAssertions } from '@esd/service/auth/service-assertion';

const PEER_NAME = 'x-esd-test-peer';

/** Returns the metadata of a peer that only names itself, for `trustingGuard`. */
export const namedPeer =
  (name: string): ServiceAssertions =>
  () => ({ [PEER_NAME]: name });

/** Returns a guard that accepts every call under the name that it claims. `callerOf` reads a caller assertion. */
export function trustingGuard(callerOf: (assertion: string) => Caller = refuseCaller): CallGuard {
  return ({ header }) => {
    const assertion = header(METADATA.assertion);
    const caller = assertion === undefined ? undefined : callerOf(assertion);
    return { peer: header(PEER_NAME) ?? 'gateway', caller };
  };
}

function refuseCaller(): never {
  throw new Error('calls in this test must not have a caller assertion');
}

/** Creates the keys of a service under test: its settings, service assertions of the gateway, and signed caller assertions. */
export function testPeers(service: string) {
  const [own, gateway, identity] = [newKey(`${service}:test`), newKey('gateway:test'), newKey('test')];
  return {
    settings: {
      ESD_SERVICE_PRIVATE_KEYS: JSON.stringify({ keys: [own] }),
      ESD_PEER_PUBLIC_KEYS: JSON.stringify({ keys: [gateway] }),
      ESD_ASSERTION_PUBLIC_KEYS: JSON.stringify({ keys: [identity] }),
    },
    serviceAssertions: serviceAssertions('gateway', { ESD_SERVICE_PRIVATE_KEYS: { keys: [gateway] } }),
    assertionsOf: ({ accountId, ...rights }: Caller, target: string): ReadonlyMap<string, string> => {
      const exp = Math.floor(Date.now() / 1_000) + 60;
      const claims = { sub: accountId, iss: ASSERTION.issuer, aud: target, exp, ...rights };
      return new Map([[target, signedBy(identity, claims)]]);
    },
  };
}

function newKey(kid: string) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { kty: 'EC' as const, crv: 'P-256' as const, x, y, d, kid };
}

function signedBy(key: ReturnType<typeof newKey>, claims: object): string {
  const header = { alg: 'ES256', typ: ASSERTION.type, kid: key.kid };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
