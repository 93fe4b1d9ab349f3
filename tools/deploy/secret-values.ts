import { randomBytes } from 'node:crypto';
import { services, usesNats, variableName } from '@esd/dev-stack/service-table';
import { newSigningKey, publicSetOf, signingKeySets } from '@esd/dev-stack/signing-key';

export type SecretValues = ReadonlyMap<string, string>;

/**
 * Completes the secrets of an installation. Keeps known values, creates missing ones (256 random bits or a P-256 key), and derives
 * ESD_PEER_PUBLIC_KEYS and ESD_ASSERTION_PUBLIC_KEYS again.
 */
export function completeSecrets(known: SecretValues): Map<string, string> {
  const values = new Map(known);
  const make = (name: string, maker: () => string): string => {
    const given = values.get(name) ?? '';
    const value = given === '' ? maker() : given;
    values.set(name, value);
    return value;
  };
  make('POSTGRES_PASSWORD', newToken);
  // The key for backups, which opens all buckets.
  make('ESD_S3_ACCESS_KEY', newToken);
  make('ESD_S3_SECRET_KEY', newToken);
  make('ESD_BOOTSTRAP_TOKEN', newToken);
  make('ESD_SECRETS_KEY', newToken);
  for (const service of services) {
    const suffix = variableName(service.name);
    if (service.database !== undefined) make(`ESD_DATABASE_PASSWORD_${suffix}`, newToken);
    // NATS would parse a value that begins with a digit as a number.
    if (usesNats(service)) make(`ESD_NATS_PASSWORD_${suffix}`, () => `nats-${newToken()}`);
    if (service.bucket !== undefined) {
      make(`ESD_S3_ACCESS_KEY_${suffix}`, newToken);
      make(`ESD_S3_SECRET_KEY_${suffix}`, newToken);
    }
    for (const variable of service.secrets ?? []) make(variable, newToken);
  }
  const serviceKeys = services.map(({ name }) =>
    make(`ESD_SERVICE_PRIVATE_KEYS_${variableName(name)}`, () => newPrivateSet(name)),
  );
  values.set('ESD_PEER_PUBLIC_KEYS', publicSetOf(...serviceKeys));
  make('ESD_SESSION_PRIVATE_KEYS', () => newPrivateSet());
  values.set('ESD_ASSERTION_PUBLIC_KEYS', publicSetOf(make('ESD_ASSERTION_PRIVATE_KEYS', () => newPrivateSet())));
  return values;
}

export const newToken = (): string => randomBytes(32).toString('base64url');
export const newPrivateSet = (owner?: string): string => signingKeySets(newSigningKey(), owner).privateSet;
