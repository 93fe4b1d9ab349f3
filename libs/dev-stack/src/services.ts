import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { ChildSpec } from './child.ts';
import { reserveFreePort, type ReservedPort } from './free-port.ts';
import { root } from './root.ts';
import type { Secrets } from './secrets.ts';
import type { Servers } from './servers.ts';
import { publicSetOf, type SigningKey } from './signing-key.ts';
import { internalHttpServices, gateway, services, type Service, usesNats, variableName } from './service-table.ts';

export interface ServiceProcess {
  spec: ChildSpec;
  addresses: Record<string, string>;
}

interface Replica {
  service: Service;
  name: string;
  http: ReservedPort;
  grpc?: ReservedPort;
  publicPort?: number;
}

/** Variables of the launcher that the processes do not inherit. */
const launcherOnly = [
  'ESD_PG_ADMIN_URL',
  'ESD_NATS_URL',
  'ESD_NATS_USER',
  'ESD_NATS_PASSWORD',
  'ESD_S3_ENDPOINT',
  'ESD_S3_ACCESS_KEY',
  'ESD_S3_SECRET_KEY',
  'NODE_OPTIONS',
];

/** A service aborts the remaining requests after `shutdownSeconds` and exits before it is killed. */
const graceSeconds = 10;
const shutdownSeconds = 8;

/** Prepares the processes of all services: reserves their ports, and puts the addresses of called services into their environments. */
export async function serviceProcesses(options: {
  dataDir: string;
  port: number;
  host: string;
  /** Number of replicas by service name; the default is 1. */
  replicas: Record<string, number>;
  secrets: Secrets;
  servers: Servers;
  env: NodeJS.ProcessEnv;
  /** The checkout whose programs run; the default is this one. */
  checkout?: string | undefined;
}): Promise<ServiceProcess[]> {
  const { dataDir, port, host, replicas, secrets, servers, checkout = root } = options;
  const allReplicas = await Promise.all(
    services.flatMap((service) =>
      Array.from({ length: replicas[service.name] ?? 1 }, async (_, index): Promise<Replica> => {
        const name = index === 0 ? service.name : `${service.name}-${index + 1}`;
        const http = await reserveFreePort();
        if (service.name === gateway) return { service, name, http, publicPort: port + index };
        return { service, name, http, grpc: await reserveFreePort() };
      }),
    ),
  );
  const shared = sharedEnvironment(options);
  const loopback = loopbackOf(host);
  return allReplicas.map((replica) => {
    const { service, name, http, grpc, publicPort } = replica;
    const httpUrl = internalUrl(`${loopback}:${http.port}`, options.env);
    const publicUrl = publicPort === undefined ? undefined : gatewayUrl(host, publicPort);
    return {
      spec: {
        name,
        tier: service.name === gateway ? 'gateway' : 'service',
        ports: [http, ...(grpc === undefined ? [] : [grpc])],
        command: process.execPath,
        args: [join('apps', service.name, 'src', 'main.ts')],
        cwd: checkout,
        env: {
          ...shared,
          ...(service.needsDatasetFile ? { ESD_DATASET_FILE: datasetFile(options.env) } : {}),
          ...ownEnvironment(service, dataDir, gatewayUrl(host, port), secrets, servers),
          ...calledServices(service, allReplicas, loopback, options.env),
          ...service.environment,
          ESD_HTTP_LISTEN: `${loopback}:${http.port}`,
          ...(grpc === undefined ? {} : { ESD_GRPC_LISTEN: `${loopback}:${grpc.port}` }),
          ...(publicPort === undefined
            ? {}
            : {
                ESD_LISTEN: `${isIPv6(host) ? `[${host}]` : host}:${publicPort}`,
                // Otherwise only the operator knows the public URL.
                ...(isLoopback(host) ? { ESD_PUBLIC_URL: options.env['ESD_PUBLIC_URL'] ?? publicUrl } : {}),
                // All servers share this disk, so only the gateway monitors it.
                ESD_WATCHED_FOLDERS: dataDir,
              }),
          ...(service.needsPublicUrl && isLoopback(host)
            ? { ESD_PUBLIC_URL: options.env['ESD_PUBLIC_URL'] ?? gatewayUrl(host, port) }
            : {}),
        },
        logFile: join(dataDir, 'logs', `${name}.log`),
        stopSignal: 'SIGTERM',
        graceSeconds,
        // Another process may respond on the public port.
        probe: (pid) => isReady(`${httpUrl}/ready`, pid, options.env),
      },
      addresses: {
        ...(publicUrl === undefined ? {} : { public: publicUrl }),
        http: httpUrl,
        ...(grpc === undefined ? {} : { grpc: `${loopback}:${grpc.port}` }),
      },
    };
  });
}

function datasetFile(env: NodeJS.ProcessEnv): string {
  return env['ESD_DATASET_FILE'] ?? join(root, 'demo', 'dataset.json');
}

function isLoopback(host: string): boolean {
  return ['127.0.0.1', '::1', 'localhost'].includes(host);
}

/** Returns the loopback address of the internal ports: ::1 for a stack that is on ::1 alone. */
function loopbackOf(host: string): string {
  return host === '::1' ? '[::1]' : '127.0.0.1';
}

/** Returns the URL under which this machine reaches a gateway that listens on `host`. */
export function gatewayUrl(host: string, port: number): string {
  if (['localhost', '127.0.0.1', '0.0.0.0', '::'].includes(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * Memory settings, also set in the Dockerfile. glibc returns large freed blocks (password hashes, decoded images, files) to the system
 * instead of caching them in an arena per thread. V8's semi-spaces are 8 MB instead of 32 MB, because an idle process does not release
 * them; see docs/decisions/0022-young-generation.md.
 */
const memory = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  NODE_OPTIONS: '--max-semi-space-size=8',
};

/** Returns the environment of every process: that of the launcher with the shared settings and keys. */
function sharedEnvironment({ env, secrets }: { env: NodeJS.ProcessEnv; secrets: Secrets }): NodeJS.ProcessEnv {
  const inherited = Object.fromEntries(Object.entries(env).filter(([name]) => !launcherOnly.includes(name)));
  return {
    ESD_SHUTDOWN_SECONDS: String(shutdownSeconds),
    ...memory,
    ...inherited,
    ESD_PEER_PUBLIC_KEYS: publicSetOf(...services.map(({ name }) => serviceKey(secrets, name).privateSet)),
    ESD_ASSERTION_PUBLIC_KEYS: secrets.signingKey('assertion-key').publicSet,
  };
}

function ownEnvironment(
  service: Service,
  dataDir: string,
  url: string,
  secrets: Secrets,
  { databaseUrls, natsUrl, natsUser, s3 }: Servers,
): NodeJS.ProcessEnv {
  const { name, database, bucket, signsTokens, secrets: own = [] } = service;
  const nats = natsUser(name);
  return {
    ESD_SERVICE_PRIVATE_KEYS: serviceKey(secrets, name).privateSet,
    ...Object.fromEntries(own.map((variable) => [variable, secrets.token(variable)])),
    ...(usesNats(service) ? { ESD_NATS_URL: natsUrl, ESD_NATS_USER: nats.user, ESD_NATS_PASSWORD: nats.password } : {}),
    ...(database === undefined ? {} : { ESD_DATABASE_URL: databaseUrls.get(database), ESD_MIGRATE: 'auto' }),
    ...(bucket === undefined
      ? {}
      : {
          ESD_S3_ENDPOINT: s3.endpoint,
          ESD_S3_ACCESS_KEY: s3.key(bucket).accessKey,
          ESD_S3_SECRET_KEY: s3.key(bucket).secretKey,
          ESD_S3_BUCKET: bucket,
        }),
    ...(signsTokens === undefined
      ? {}
      : {
          ESD_SESSION_PRIVATE_KEYS: secrets.signingKey('session-key').privateSet,
          ESD_ASSERTION_PRIVATE_KEYS: secrets.signingKey('assertion-key').privateSet,
          ESD_SECRETS_KEY: secrets.token('secrets-key'),
          ESD_MAIL_DIR: join(dataDir, 'mail'),
          ESD_PUBLIC_URL: url,
        }),
  };
}

function calledServices(
  service: Service,
  allReplicas: Replica[],
  loopback: string,
  launcher: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const called of service.calls) {
    const variable = `ESD_${variableName(called)}`;
    const its = allReplicas.filter((replica) => replica.service.name === called);
    const targets = its.flatMap(({ grpc }) => (grpc === undefined ? [] : [`${loopback}:${grpc.port}`]));
    env[`${variable}_TARGET`] = `${loopback.startsWith('[') ? 'ipv6' : 'ipv4'}:${targets.join(',')}`;
    if (internalHttpServices.includes(called)) {
      env[`${variable}_HTTP`] = its.map(({ http }) => internalUrl(`${loopback}:${http.port}`, launcher)).join(',');
    }
  }
  return env;
}

function serviceKey(secrets: Secrets, service: string): SigningKey {
  return secrets.signingKey(`service-key/${service}`, service);
}

/** Returns the URL of an internal HTTP address; https if the launcher's environment names a certificate. */
function internalUrl(address: string, { ESD_TLS_CERT_FILE }: NodeJS.ProcessEnv): string {
  return `${ESD_TLS_CERT_FILE ? 'https' : 'http'}://${address}`;
}

/** Reports whether /ready at `url` returns 200 and comes from the process with this id. */
export function isReady(url: string, pid: number, { ESD_TLS_CA_FILE: caFile }: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false, timeout: 2_000 };
    const request = url.startsWith('https:')
      ? httpsGet(url, { ...options, ca: caFile === undefined ? [] : readFileSync(caFile) })
      : httpGet(url, options);
    request
      .on('response', (response) => {
        response.resume();
        resolve(response.statusCode === 200 && response.headers['x-process-id'] === String(pid));
      })
      .on('timeout', () => request.destroy())
      .on('error', () => {
        resolve(false);
      });
  });
}
