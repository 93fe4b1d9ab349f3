import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const header = z.object({ alg: z.string(), typ: z.string(), kid: z.string() });
const claims = z.looseObject({ iat: z.int(), exp: z.int() });
const secrets = z.looseObject({ 'session-key': z.string() });

/** Decodes the header and the claims of a JWT without verification. */
export function decodeJwt(token: string): { header: z.output<typeof header>; claims: z.output<typeof claims> } {
  const [first = '', second = ''] = token.split('.');
  const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { header: header.parse(decode(first)), claims: claims.parse(decode(second)) };
}

/** Signs a session token with the key of a local stack, for claims that identity-svc never signs. */
export function signSessionToken(dataDir: string, content: z.output<typeof claims>): string {
  const file = secrets.parse(JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')));
  const key = createPrivateKey(file['session-key']);
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638: only the required members, in the order of their names.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encode({ alg: 'ES256', typ: 'JWT', kid })}.${encode(content)}`;
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' });
  return `${unsigned}.${signature.toString('base64url')}`;
}
