import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

/** `host:port`, or a port alone, which means every interface. */
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

/** A JWK set of P-256 public keys. */
export const publicKeySet = jsonText.pipe(z.object({ keys: z.array(publicKey).min(1) }));
/** A JWK set of P-256 private keys; the first signs. */
export const privateKeySet = jsonText.pipe(z.object({ keys: z.array(publicKey.extend({ d: z.string() })).min(1) }));

export type PublicKeySet = z.output<typeof publicKeySet>;
export type PrivateKeySet = z.output<typeof privateKeySet>;

const folders = z.string().transform((text) => text.split(',').filter((part) => part !== ''));

/** Settings of every process. */
export const processSettings = {
  ESD_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severity that is logged.'),
  ESD_HTTP_LISTEN: listenAddress
    .prefault('127.0.0.1:0')
    .describe('Internal HTTP address: /health, /ready, /metrics; never to be exposed.'),
  ESD_SERVICE_PRIVATE_KEYS: privateKeySet.describe(
    'Secret. JWK set of the P-256 keys with which this process proves itself to the others: the first signs.',
  ),
  ESD_TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'Certificate (PEM, with those between it and its authority) that this process shows to the others, on the gRPC and the internal HTTP port; its names are the hosts by which they call it. Without it, both are plain text.',
    ),
  ESD_TLS_KEY_FILE: z.string().optional().describe('Private key (PEM) of ESD_TLS_CERT_FILE; the file is secret.'),
  ESD_TLS_CA_FILE: z
    .string()
    .optional()
    .describe('Authorities (PEM) whose certificates this process accepts from the others.'),
  ESD_WATCHED_FOLDERS: folders
    .prefault('')
    .describe(
      'Folders by comma whose disks are watched, beside that of temporary files: from 80 % on /ready and the log warn.',
    ),
  ESD_SHUTDOWN_SECONDS: z.coerce
    .number()
    .positive()
    .default(10)
    .describe('How long requests that run may take to end after SIGTERM.'),
};

/** Settings of every gRPC service, beside those of every process. */
export const rpcServerSettings = {
  ESD_GRPC_LISTEN: listenAddress.prefault('0.0.0.0:50051').describe('gRPC address.'),
  ESD_PEER_PUBLIC_KEYS: publicKeySet.describe(
    'JWK set of the keys by which other processes are known; `kid` is the name of the process, a colon, and a name of the key.',
  ),
  ESD_ASSERTION_PUBLIC_KEYS: publicKeySet.describe(
    'JWK set of the keys with which identity-svc signs who the caller is.',
  ),
  ESD_REFLECTION: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Offers gRPC server reflection, for tools such as grpcurl.'),
};

/** Settings of a service that has a database of its own. */
export const databaseSettings = {
  ESD_DATABASE_URL: z.string().startsWith('postgres').describe("Secret. This service's own PostgreSQL database."),
  ESD_DATABASE_CONNECTIONS: z.coerce.number().int().min(2).default(10).describe('Size of the connection pool.'),
  ESD_MIGRATE: z
    .enum(['auto', 'off'])
    .default('off')
    .describe('`auto` migrates the schema at start, under a lock; otherwise run `main.ts migrate` before.'),
};

/** Settings of a process that speaks to NATS. */
export const natsSettings = {
  ESD_NATS_URL: z
    .string()
    .describe(
      'NATS server with JetStream, nats://host:port, several by comma; with tls:// only an encrypted connection is made.',
    ),
  ESD_NATS_USER: z.string().describe('NATS user of this process.'),
  ESD_NATS_PASSWORD: z.string().describe('Secret. Password of the NATS user.'),
};

/** Settings of a service that keeps objects in S3. */
export const objectStoreSettings = {
  ESD_S3_ENDPOINT: z.url().describe('S3 endpoint, http(s)://host:port.'),
  ESD_S3_ACCESS_KEY: z.string().describe('S3 access key.'),
  ESD_S3_SECRET_KEY: z.string().describe('Secret. S3 secret key.'),
  ESD_S3_BUCKET: z.string().describe("This service's own bucket."),
};

/** Settings of a service that keeps files for a while. */
export const tempStorageSettings = {
  ESD_TEMP_MB: z.coerce
    .number()
    .positive()
    .optional()
    .describe(
      'Room of the folder for temporary files in MB, where the platform bounds it (emptyDir.sizeLimit); else what its file system has free. Three quarters are used.',
    ),
};

/** A gRPC target, e.g. `dns:///dataset-svc:50051`, or `ipv4:127.0.0.1:1,127.0.0.1:2` for replicas at known addresses. */
export const rpcTarget = z.string().min(1);

/** Addresses of the replicas of a service: base URLs by comma. */
export const httpReplicas = z
  .string()
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1));

/**
 * Reads settings from the environment. Throws an Error whose message names every setting that is missing or wrong,
 * without its value.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  settings: Shape,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<z.ZodObject<Shape>> {
  const result = z.object(settings).safeParse(environment);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`configuration: ${lines.join('; ')}`);
}
