import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

/** `host:port`, or a port alone for all interfaces. */
export const listenAddress = z.string().transform((text, context) => {
  const colon = text.lastIndexOf(':');
  const parsed = port.safeParse(colon < 0 ? text : text.slice(colon + 1));
  if (!parsed.success || text === '') {
    context.addIssue({ code: 'custom', message: `"${text}" is not host:port` });
    return z.NEVER;
  }
  const host = colon < 0 ? undefined : text.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: parsed.data };
});

export type ListenAddress = z.output<typeof listenAddress>;

const jsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

const publicKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
});

export const publicKeySet = jsonText.pipe(z.object({ keys: z.array(publicKey).min(1) }));
/** A JWK set of P-256 private keys; the first signs. */
export const privateKeySet = jsonText.pipe(z.object({ keys: z.array(publicKey.extend({ d: z.string() })).min(1) }));

export type PublicKeySet = z.output<typeof publicKeySet>;
export type PrivateKeySet = z.output<typeof privateKeySet>;

const folders = z.string().transform((text) => text.split(',').filter((part) => part !== ''));

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
    .describe('Internal HTTP address for /health, /ready and /metrics; never expose it.'),
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
    .default(64)
    .describe(
      'Maximum unary calls in flight from this process to one service. Further calls wait; see limits.md. Must be from 1 to 1,000.',
    ),
  ESD_UPSTREAM_WAIT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(250)
    .describe(
      'Longest wait of a call for one of these places, in milliseconds; after that, the request gets 503. Must be from 0 to 10,000.',
    ),
  ESD_SHUTDOWN_SECONDS: z.coerce
    .number()
    .positive()
    .default(10)
    .describe('Maximum time in seconds for running requests to end after SIGTERM.'),
};

/** Settings of every gRPC service, in addition to `processSettings`. */
export const rpcServerSettings = {
  ESD_GRPC_LISTEN: listenAddress.prefault('0.0.0.0:50051').describe('gRPC address.'),
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
};

export const objectStoreSettings = {
  ESD_S3_ENDPOINT: z.url().describe('S3 endpoint, http(s)://host:port.'),
  ESD_S3_ACCESS_KEY: z.string().describe('S3 access key.'),
  ESD_S3_SECRET_KEY: z.string().describe('Secret. S3 secret key.'),
  ESD_S3_BUCKET: z.string().describe('Bucket of this service.'),
};

export const tempStorageSettings = {
  ESD_TEMP_MB: z.coerce
    .number()
    .positive()
    .optional()
    .describe(
      'Size limit of the temporary folder in MB, if the platform sets one (emptyDir.sizeLimit). The default is the free space of its file system. The service uses three quarters of it.',
    ),
};

/** A gRPC target, such as `dns:///dataset-svc:50051`, or `ipv4:127.0.0.1:1,127.0.0.1:2` for known addresses. */
export const rpcTarget = z.string().min(1);

/** The base URLs of the replicas of a service, comma-separated. */
export const httpReplicas = z
  .string()
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1));

/** Reads settings from the environment. Throws an Error that names every missing or invalid setting, without its value. */
export function readConfig<Shape extends z.ZodRawShape>(
  settings: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<z.ZodObject<Shape>> {
  const result = z.object(settings).safeParse(environment);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`configuration: ${lines.join('; ')}`);
}
