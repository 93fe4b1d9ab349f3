import { createPrivateKey, createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { type Allowance, ALLOWANCES } from '@esd/api/allowances';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

/** `host:port`, or a port alone for all interfaces (IPv6 and IPv4; only IPv4 on a system without IPv6). */
export const listenAddress = z.string().transform((text, context) => {
  const colon = text.lastIndexOf(':');
  const parsed = port.safeParse(colon < 0 ? text : text.slice(colon + 1));
  if (!parsed.success || text === '') {
    context.addIssue({ code: 'custom', message: 'must be host:port or a port' });
    return z.NEVER;
  }
  const host = colon < 0 ? undefined : text.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: parsed.data };
});

export type ListenAddress = z.output<typeof listenAddress>;

const publicKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
});

/** A JSON text with at least one key whose point is on the curve. */
const keySet = <Key extends typeof publicKey>(key: Key, open: (key: JsonWebKeyInput) => unknown) =>
  z.string().transform((text, context) => {
    try {
      const set = z.object({ keys: z.tuple([key], key) }).parse(JSON.parse(text));
      for (const one of set.keys) open({ key: { ...one }, format: 'jwk' });
      return set;
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'must be a JWK set of P-256 keys, as tools/deploy/secrets.ts writes it',
      });
      return z.NEVER;
    }
  });

export const publicKeySet = keySet(publicKey, createPublicKey);
/** A JWK set of P-256 private keys; the first signs. */
export const privateKeySet = keySet(publicKey.extend({ d: z.string() }), createPrivateKey);

export type PublicKeySet = z.output<typeof publicKeySet>;
export type PrivateKeySet = z.output<typeof privateKeySet>;

// `name=value` pairs as in an HTTP header, percent-encoded.
const headerPairs = z
  .string()
  .regex(/^(?:[^=,\s]+=[^,\r\n]*(?:,[^=,\s]+=[^,\r\n]*)*)?$/, 'must be name=value,name=value');

const folders = z.string().transform((text) => text.split(',').filter((part) => part !== ''));

/** Also the limits of a client that is created without settings. */
export const CALL_LIMIT_DEFAULTS = {
  ESD_UPSTREAM_CONCURRENCY: ALLOWANCES.overload.calls.amount,
  ESD_UPSTREAM_WAIT_MS: ALLOWANCES.overload.wait.amount,
};

/** Returns the setting that changes an allowance. The schema describes its possible values. */
export function allowanceSetting(
  { resource, amount, unit, window, of }: Allowance,
  schema = z.coerce.number().int().min(1).max(1_000_000),
) {
  const maximum = unit === undefined ? resource : `${unit} of ${resource}`;
  const per = window === undefined ? of : `${window} and ${of}`;
  return schema.default(amount).describe(`Maximum ${maximum}, per ${per}.`);
}

export const processSettings = {
  ESD_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Minimum log level.'),
  ESD_REVISION: z
    .string()
    .default('unknown')
    .describe('Git commit of the software, for the metric `esd_build_info`. The image sets it.'),
  ESD_HTTP_LISTEN: listenAddress
    .prefault('127.0.0.1:0')
    .describe('Internal HTTP address for /health, /ready, /status and /metrics; never expose it.'),
  ESD_SERVICE_PRIVATE_KEYS: privateKeySet.describe(
    'Secret. JWK set of P-256 keys that authenticate this process to the others; the first key signs.',
  ),
  ESD_TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'Certificate chain (PEM) of this process for the gRPC and the internal HTTP port. Its names must include each host name or address that other processes use. Without it, both ports are plain text.',
    ),
  ESD_TLS_KEY_FILE: z.string().optional().describe('Private key (PEM) of ESD_TLS_CERT_FILE. Protect the file.'),
  ESD_TLS_CA_FILE: z.string().optional().describe('Trusted authorities (PEM) of the certificates of other processes.'),
  ESD_WATCHED_FOLDERS: folders
    .prefault('')
    .describe(
      'Comma-separated folders whose disks are monitored, in addition to the temporary folder. At 80 % usage or more, /ready and the log contain a warning.',
    ),
  ESD_UPSTREAM_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(CALL_LIMIT_DEFAULTS.ESD_UPSTREAM_CONCURRENCY)
    .describe(
      'Maximum unary calls in flight from this process to one service. Further calls wait; see limits.md. Must be from 1 to 1,000.',
    ),
  ESD_UPSTREAM_WAIT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(CALL_LIMIT_DEFAULTS.ESD_UPSTREAM_WAIT_MS)
    .describe(
      'Target of the wait for one of these slots, in milliseconds. Requests get 503 only while every wait of the last 500 ms is longer. Must be from 0 to 10,000.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => text === '' || z.url({ protocol: /^https?$/ }).safeParse(text).success, {
      error: 'must be an http:// or https:// URL, or empty for no traces',
    })
    .prefault('')
    .describe(
      'Base URL of an OpenTelemetry collector, to which this process sends traces (OTLP over HTTP, JSON). Without it, there are no traces.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs
    .prefault('')
    .describe('Secret. Comma-separated HTTP headers for the collector, each `name=value`, percent-encoded.'),
  ESD_SHUTDOWN_SECONDS: z.coerce
    .number()
    .positive()
    .default(10)
    .describe('Maximum time in seconds for running requests to end after SIGTERM.'),
};

/** Settings of every gRPC service, in addition to `processSettings`. */
export const rpcServerSettings = {
  ESD_GRPC_LISTEN: listenAddress
    .prefault('50051')
    .describe('gRPC address, [host:]port. Without a host, it listens on all interfaces, IPv6 and IPv4.'),
  ESD_PEER_PUBLIC_KEYS: publicKeySet.describe(
    'JWK set of the public keys of other processes; `kid` is `<process>:<key name>`.',
  ),
  ESD_ASSERTION_PUBLIC_KEYS: publicKeySet.describe(
    'JWK set of the public keys that verify the caller assertions of identity-svc.',
  ),
  ESD_REFLECTION: z.enum(['on', 'off']).default('off').describe('gRPC server reflection, for tools such as grpcurl.'),
};

export const databaseSettings = {
  ESD_DATABASE_URL: z
    .string()
    .startsWith('postgres')
    .describe('Secret. URL of the PostgreSQL database of this service.'),
  ESD_DATABASE_CONNECTIONS: z.coerce.number().int().min(2).default(10).describe('Size of the connection pool.'),
  ESD_MIGRATE: z
    .enum(['auto', 'off'])
    .default('off')
    .describe('`auto` migrates the schema at start, under a lock. With `off`, run `main.ts migrate` before the start.'),
};

export const natsSettings = {
  ESD_NATS_URL: z
    .string()
    .describe(
      'URL of the NATS server with JetStream, nats://host:port, or several comma-separated URLs. tls:// requires an encrypted connection.',
    ),
  ESD_NATS_USER: z.string().describe('NATS user of this process.'),
  ESD_NATS_PASSWORD: z.string().describe('Secret. Password of the NATS user.'),
  ESD_STREAM_REPLICAS: z
    .enum(['1', '3', '5'], 'must be 1, 3 or 5')
    .default('1')
    .transform(Number)
    .describe(
      'Replicas of the event stream, applied when the stream is created. 3 and 5 require a NATS cluster of at least as many servers.',
    ),
};

export const objectStoreSettings = {
  ESD_S3_ENDPOINT: z.url().describe('S3 endpoint, http(s)://host:port.'),
  ESD_S3_ACCESS_KEY: z.string().describe('S3 access key.'),
  ESD_S3_SECRET_KEY: z.string().describe('Secret. S3 secret key.'),
  ESD_S3_SESSION_TOKEN: z.string().optional().describe('Secret. Session token, if the S3 keys are temporary.'),
  ESD_S3_REGION: z.string().default('us-east-1').describe('Region of the bucket. Many S3 servers accept any region.'),
  ESD_S3_BUCKET: z.string().describe('Bucket of this service.'),
};

export const tempStorageSettings = {
  ESD_TEMP_MB: z.coerce
    .number()
    .positive()
    .optional()
    .describe(
      `Size limit of the temporary folder in MB, if the platform sets one (emptyDir.sizeLimit). The default is the free space of its file system. The service uses ${ALLOWANCES.shares.temporaryFiles.amount} % of it.`,
    ),
};

/** A gRPC target, such as `dns:///dataset-svc:50051`, or `ipv4:127.0.0.1:1,127.0.0.1:2` for known addresses. */
export const rpcTarget = z.string().min(1);

/** The base URLs of the replicas of a service, comma-separated. */
export const httpReplicas = z
  .string()
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1));

/** An invalid or missing setting. The message is for operators and needs no stack. */
export class SettingsError extends Error {}

/** Compares settings with each other, before they are parsed. Returns the problem, if any. */
export type SettingsCheck = (environment: NodeJS.ProcessEnv) => string | undefined;

const TLS = ['ESD_TLS_CERT_FILE', 'ESD_TLS_KEY_FILE', 'ESD_TLS_CA_FILE'] as const;

const tlsIsComplete: SettingsCheck = (environment) => {
  const missing = TLS.filter((name) => !environment[name]);
  if (missing.length === 0 || missing.length === TLS.length) return undefined;
  return `${missing.join(' and ')} must be set, because ${TLS.filter((name) => environment[name]).join(' and ')} is set.`;
};

/**
 * Reads settings from the environment. Throws a SettingsError that lists every missing, invalid, or inconsistent setting, each on
 * a line with its description and without its value.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  settings: Shape,
  environment: NodeJS.ProcessEnv = process.env,
  checks: readonly SettingsCheck[] = [],
): z.output<z.ZodObject<Shape>> {
  const given = Object.fromEntries(Object.keys(settings).map((name) => [name, environment[name]]));
  const result = z.object(settings).safeParse(given, { error: plainMessage });
  const problems = (result.error?.issues ?? []).map(({ path, message }) => {
    const name = String(path[0]);
    const problem = given[name] === undefined ? 'is missing' : message;
    return `${name} ${problem}. ${z.globalRegistry.get(settings[name] ?? z.never())?.description ?? ''}`;
  });
  problems.push(...[tlsIsComplete, ...checks].flatMap((check) => check(given) ?? []));
  if (result.success && problems.length === 0) return result.data;
  throw new SettingsError(
    ['set these environment variables, which docs/settings.md describes:', ...problems].join('\n  '),
  );
}

/** Returns the predicate of a sentence that begins with the name of the setting. */
function plainMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? `must have at least ${issue.minimum} characters`
        : `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be a URL with an accepted scheme' : 'has the wrong format';
    default:
      return 'is invalid';
  }
}
