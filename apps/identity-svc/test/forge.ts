import { createHmac, createPrivateKey, sign } from 'node:crypto';
import type { Key } from './identity-service.ts';

/** Encodes one part of a compact JWT. */
export function encodePart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Signs an ES256 JWT with any header and payload, without the library under test. */
export function forgeEs256(payload: object, key: Key, header: object = {}): string {
  const signed = `${encodePart({ alg: 'ES256', typ: 'JWT', kid: key.kid, ...header })}.${encodePart(payload)}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Signs an HS256 JWT with any secret. */
export function forgeHs256(payload: object, kid: string, secret: string | Buffer): string {
  const signed = `${encodePart({ alg: 'HS256', typ: 'JWT', kid })}.${encodePart(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
