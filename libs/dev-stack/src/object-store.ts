import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverBinary } from './binaries.ts';
import type { ChildSpec } from './child.ts';
import { reserveFreePort, type ReservedPort } from './free-port.ts';
import { serverEnvironment } from './server-environment.ts';

/** A key of the store that opens only its buckets. */
export interface StoreKey {
  buckets: string[];
  accessKey: string;
  secretKey: string;
}

// All actions of a service on its bucket. No key can administer the store over S3.
const BUCKET_ACTIONS = ['Read', 'Write', 'List', 'Tagging'];

// An idle server takes 119 MB instead of 139 MB, without more processor time. A memory limit saves little more, and the garbage
// collector then runs continuously.
const MEMORY = { GOGC: '50' };

export function objectStoreIdentities(keys: readonly StoreKey[]): string {
  const identities = keys.map(({ buckets, accessKey, secretKey }) => ({
    name: buckets.join('+'),
    credentials: [{ accessKey, secretKey }],
    actions: buckets.flatMap((bucket) => BUCKET_ACTIONS.map((action) => `${action}:${bucket}`)),
  }));
  return JSON.stringify({ identities }, null, 2);
}

/** Prepares an S3 server (SeaweedFS) with the buckets of the keys. It stores its files in `dataDir/objects`. */
export async function embeddedObjectStore(options: {
  dataDir: string;
  keys: readonly StoreKey[];
}): Promise<{ spec: ChildSpec; endpoint: string }> {
  const { dataDir, keys } = options;
  const identities = join(dataDir, 's3.json');
  await writeFile(identities, objectStoreIdentities(keys), { mode: 0o600 });
  const folder = join(dataDir, 'objects');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The file contains the options of the last start, including its ports.
  await rm(join(folder, 'mini.options'), { force: true });
  const ports: ReservedPort[] = [];
  const anyPort = async (): Promise<number> => {
    const reserved = await reserveFreePort();
    ports.push(reserved);
    return reserved.port;
  };
  const [s3, filer] = [await anyPort(), await anyPort()];
  // Every listener gets a port, because two stacks would share the fixed defaults.
  const flags = {
    dir: '.',
    ip: '127.0.0.1',
    'ip.bind': '127.0.0.1',
    's3.config': identities,
    's3.port': s3,
    's3.port.grpc': await anyPort(),
    's3.port.iceberg': 0,
    's3.port.lance': 0,
    's3.localSocket': 's3.sock',
    'filer.port': filer,
    'filer.port.grpc': await anyPort(),
    'filer.localSocket': 'filer.sock',
    'master.port': await anyPort(),
    'master.port.grpc': await anyPort(),
    'master.telemetry': false,
    'master.volumeSizeLimitMB': 256,
    'volume.port': await anyPort(),
    'volume.port.grpc': await anyPort(),
    'volume.preStopSeconds': 0,
    'admin.port': await anyPort(),
    'admin.port.grpc': await anyPort(),
    'admin.ui': false,
    webdav: false,
  };
  const endpoint = `http://127.0.0.1:${s3}`;
  return {
    endpoint,
    spec: {
      name: 'object-store',
      tier: 'server',
      ports,
      command: serverBinary('weed'),
      args: ['-logtostderr=true', 'mini', ...Object.entries(flags).map(([name, value]) => `-${name}=${value}`)],
      cwd: folder,
      env: { ...serverEnvironment(dataDir), ...MEMORY },
      logFile: join(dataDir, 'logs', 'object-store.log'),
      stopSignal: 'SIGTERM',
      // SeaweedFS can hang if it is stopped during its start. Acknowledged writes are on disk anyway.
      graceSeconds: 5,
      probe: () =>
        ensureBuckets(
          endpoint,
          `http://127.0.0.1:${filer}`,
          keys.flatMap(({ buckets }) => buckets),
        ),
    },
  };
}

/**
 * Creates the missing buckets, which are folders of the filer, once S3 responds: it refuses unsigned requests with 403.
 * SeaweedFS's own option tries only once and merely warns on failure. Returns whether every bucket accepts files, which
 * the store does later than it accepts connections.
 */
async function ensureBuckets(s3: string, filer: string, buckets: string[]): Promise<boolean> {
  if ((await status(s3)) !== 403) return false;
  const statuses = await Promise.all(
    buckets.map(async (name) => {
      const folder = `${filer}/buckets/${name}/`;
      if ((await status(folder)) === 404) await status(folder, 'POST');
      const written = await status(`${folder}.ready`, 'PUT', 'ready');
      return written === 201 ? status(`${folder}.ready`, 'DELETE') : written;
    }),
  );
  return statuses.every((code) => code === 204);
}

async function status(url: string, method = 'GET', body?: string): Promise<number> {
  try {
    const response = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(5_000),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}
