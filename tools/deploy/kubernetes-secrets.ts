import { services, type Service, usesNats, variableName } from '@esd/dev-stack/service-table';
import type { SecretValues } from './secret-values.ts';

export interface KubernetesSecret {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: { name: string; labels: Record<string, string> };
  type: 'Opaque' | 'kubernetes.io/basic-auth';
  stringData: Record<string, string>;
}

export interface PostgresAddress {
  /** In the form host:port. */
  address: string;
  /** The query of the URL, for example `sslmode=verify-full`; can be empty. */
  parameters: string;
}

/**
 * Returns the Secrets of an installation from its completed values: one per process with its environment variables, one with the shared
 * variables, and those of the servers in the cluster.
 */
export function kubernetesSecrets(values: SecretValues, postgres: PostgresAddress): KubernetesSecret[] {
  const matching = (pattern: RegExp) => Object.fromEntries([...values].filter(([name]) => pattern.test(name)));
  return [
    secret('esd-shared', matching(/^ESD_(PEER_PUBLIC_KEYS|ASSERTION_PUBLIC_KEYS)$/)),
    ...services.map((service) => secret(`esd-${service.name}`, processVariables(service, values, postgres))),
    secret('esd-postgres', matching(/^(POSTGRES_PASSWORD|ESD_DATABASE_PASSWORD_\w+)$/)),
    secret('esd-nats', matching(/^ESD_NATS_PASSWORD_\w+$/)),
    secret('esd-object-store', matching(/^ESD_S3_(ACCESS|SECRET)_KEY(_\w+)?$/)),
  ];
}

/** Returns the Secrets with the passwords of the database roles, for the component `cloudnative-pg`. */
export function databaseRoleSecrets(values: SecretValues): KubernetesSecret[] {
  return services.flatMap(({ name, database }) => {
    if (database === undefined) return [];
    const password = valueOf(values, `ESD_DATABASE_PASSWORD_${variableName(name)}`);
    const made = secret(database.replace('esd_', 'esd-database-'), { username: database, password });
    // CloudNativePG applies a changed password.
    const labels = { ...made.metadata.labels, 'cnpg.io/reload': 'true' };
    return [{ ...made, metadata: { ...made.metadata, labels }, type: 'kubernetes.io/basic-auth' as const }];
  });
}

function processVariables(service: Service, values: SecretValues, postgres: PostgresAddress): Record<string, string> {
  const { name, database, bucket, signsTokens, secrets = [] } = service;
  const own = (variable: string): string => valueOf(values, `${variable}_${variableName(name)}`);
  const taken = (...names: string[]) => Object.fromEntries(names.map((each) => [each, valueOf(values, each)]));
  const smtpUrl = values.get('ESD_SMTP_URL');
  return {
    ESD_SERVICE_PRIVATE_KEYS: own('ESD_SERVICE_PRIVATE_KEYS'),
    ...(usesNats(service) ? { ESD_NATS_PASSWORD: own('ESD_NATS_PASSWORD') } : {}),
    ...(database === undefined
      ? {}
      : { ESD_DATABASE_URL: databaseUrl(database, own('ESD_DATABASE_PASSWORD'), postgres) }),
    ...taken(...secrets),
    ...(bucket === undefined
      ? {}
      : { ESD_S3_ACCESS_KEY: own('ESD_S3_ACCESS_KEY'), ESD_S3_SECRET_KEY: own('ESD_S3_SECRET_KEY') }),
    ...(signsTokens === undefined
      ? {}
      : taken('ESD_SESSION_PRIVATE_KEYS', 'ESD_ASSERTION_PRIVATE_KEYS', 'ESD_SECRETS_KEY', 'ESD_BOOTSTRAP_TOKEN')),
    ...(signsTokens !== undefined && smtpUrl ? { ESD_SMTP_URL: smtpUrl } : {}),
  };
}

function databaseUrl(database: string, password: string, { address, parameters }: PostgresAddress): string {
  const query = parameters === '' ? '' : `?${parameters}`;
  return `postgres://${database}:${encodeURIComponent(password)}@${address}/${database}${query}`;
}

function valueOf(values: SecretValues, name: string): string {
  const value = values.get(name);
  if (!value) throw new Error(`${name} is missing. Create it with tools/deploy/secrets.ts env.`);
  return value;
}

function secret(name: string, stringData: Record<string, string>): KubernetesSecret {
  const labels = { 'app.kubernetes.io/part-of': 'electrospinning-dataset-service' };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, type: 'Opaque', stringData };
}
