import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverBinary } from './binaries.ts';
import type { ChildSpec } from './child.ts';
import { holdFreePort, type HeldPort } from './free-port.ts';
import { serverEnvironment } from './server-environment.ts';

/** A key of the store, which opens its buckets and no other. */
export interface StoreKey {
  buckets: string[];
  accessKey: string;
  secretKey: string;
}

// All that a service does with its bucket; nobody may administer the store over S3.
const BUCKET_ACTIONS = ['Read', 'Write', 'List', 'Tagging'];

// Measured idle: 119 MB instead of 139, for no processor time. A memory limit saves little more, and collects garbage without end.
const MEMORY = { GOGC: '50' };

/** The store's configuration of who may do what (JSON text). */
export function objectStoreIdentities(keys: readonly StoreKey[]): string {
  const identities = keys.map(({ buckets, accessKey, secretKey }) => ({
    name: buckets.join('+'),
    credentials: [{ accessKey, secretKey }],
    actions: buckets.flatMap((bucket) => BUCKET_ACTIONS.map((action) => `${action}:${bucket}`)),
  }));
  return JSON.stringify({ identities }, null, 2);
}

/** Prepares an S3 server (SeaweedFS) with the buckets of the keys, its files in `dataDir/objects`. */
export async function embeddedObjectStore(options: {
  dataDir: string;
  keys: readonly StoreKey[];
}): Promise<{ spec: ChildSpec; endpoint: string }> {
  const { dataDir, keys } = options;
  const identities = join(dataDir, 's3.json');
  await writeFile(identities, objectStoreIdentities(keys), { mode: 0o600 });
  const folder = join(dataDir, 'objects');
  await mkdir(folder, { recursive: true });
  // Holds the options of the last start, its ports too.
  await rm(join(folder, 'mini.options'), { force: true });
  const ports: HeldPort[] = [];
  const anyPort = async (): Promise<number> => {
    const held = await holdFreePort();
    ports.push(held);
    return held.port;
  };
  const [s3, filer] = [await anyPort(), await anyPort()];
  // Every listener gets a port: the fixed defaults would let two stacks collide.
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
      // It can hang when it is stopped while it starts; what it has acknowledged is in its files all the same.
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
 * Makes the buckets that are missing, which are folders of the filer, once S3 is open. The server's own option for it tries
 * once and only warns when it fails, as it can on a machine under load.
 */
async function ensureBuckets(s3: string, filer: string, buckets: string[]): Promise<boolean> {
  // S3 refuses requests without a signature, which only a working S3 can do.
  if ((await status(s3)) !== 403) return false;
  const statuses = await Promise.all(
    buckets.map(async (name) => {
      const folder = `${filer}/buckets/${name}/`;
      const found = await status(folder);
      return found === 404 ? status(folder, 'POST') : found;
    }),
  );
  return statuses.every((code) => code === 200 || code === 201);
}

async function status(url: string, method = 'GET'): Promise<number> {
  try {
    const response = await fetch(url, { method, signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}
