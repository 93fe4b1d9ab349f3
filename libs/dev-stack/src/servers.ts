import { createDatabases, shutCommonDatabases } from './databases.ts';
import { embeddedNats, type NatsUser } from './nats.ts';
import { embeddedObjectStore } from './object-store.ts';
import { embeddedPostgres } from './postgres.ts';
import type { Secrets } from './secrets.ts';
import { StackError } from './stack-error.ts';
import type { Supervisor } from './supervisor.ts';

export interface ServerOptions {
  dataDir: string;
  supervisor: Supervisor;
  secrets: Secrets;
  /** The environment of the launcher; a server that it names replaces the embedded one. */
  env: NodeJS.ProcessEnv;
  /** If false, a crash of the machine can lose the data. */
  durable: boolean;
}

export interface Servers {
  /** The URL of PostgreSQL for an administrator. */
  adminUrl: string;
  databaseUrls: Map<string, string>;
  natsUrl: string;
  natsUser: (user: string) => { user: string; password: string };
  s3: { endpoint: string; key: (bucket: string) => { accessKey: string; secretKey: string } };
}

export type NatsUserWithoutPassword = Omit<NatsUser, 'password'>;

/**
 * Starts PostgreSQL, NATS and the S3 server in parallel, and creates roles, databases and buckets. The environment can name a server that
 * replaces an embedded one: ESD_PG_ADMIN_URL; ESD_NATS_URL with ESD_NATS_USER and ESD_NATS_PASSWORD; ESD_S3_ENDPOINT with
 * ESD_S3_ACCESS_KEY and ESD_S3_SECRET_KEY.
 */
export async function startServers(
  options: ServerOptions & { databases: string[]; natsUsers: NatsUserWithoutPassword[]; buckets: string[] },
): Promise<Servers> {
  const starts = [
    startPostgres(options, options.databases),
    startNats(options, options.natsUsers),
    startObjectStore(options, options.buckets),
  ] as const;
  // All starts must settle before an error reaches the caller, which then stops the servers.
  await Promise.allSettled(starts);
  const [postgres, nats, s3] = await Promise.all(starts);
  return { ...postgres, ...nats, s3 };
}

async function startPostgres(
  { dataDir, supervisor, secrets, env, durable }: ServerOptions,
  databases: string[],
): Promise<Pick<Servers, 'adminUrl' | 'databaseUrls'>> {
  const wanted = databases.map((name) => ({ name, password: secrets.token(`postgres/${name}`) }));
  let adminUrl = env['ESD_PG_ADMIN_URL'];
  if (adminUrl === undefined) {
    const embedded = await embeddedPostgres({ dataDir, password: secrets.token('postgres/postgres'), durable });
    await supervisor.start(embedded.spec);
    adminUrl = embedded.adminUrl;
    await shutCommonDatabases(adminUrl);
  }
  try {
    return { adminUrl, databaseUrls: await createDatabases(adminUrl, wanted) };
  } catch (error) {
    throw new StackError(`PostgreSQL refuses to create the roles and databases of the services: ${String(error)}.`);
  }
}

async function startNats(
  { dataDir, supervisor, secrets, env }: ServerOptions,
  users: NatsUserWithoutPassword[],
): Promise<Pick<Servers, 'natsUrl' | 'natsUser'>> {
  const url = env['ESD_NATS_URL'];
  if (url !== undefined) {
    const everyone = { user: required(env, 'ESD_NATS_USER'), password: required(env, 'ESD_NATS_PASSWORD') };
    return { natsUrl: url, natsUser: () => everyone };
  }
  const natsUser = (user: string) => ({ user, password: secrets.token(`nats/${user}`) });
  const withPasswords = users.map((wanted) => ({ ...wanted, ...natsUser(wanted.user) }));
  const embedded = await embeddedNats({ dataDir, users: withPasswords });
  await supervisor.start(embedded.spec);
  return { natsUrl: embedded.url, natsUser };
}

async function startObjectStore(
  { dataDir, supervisor, secrets, env }: ServerOptions,
  buckets: string[],
): Promise<Servers['s3']> {
  const endpoint = env['ESD_S3_ENDPOINT'];
  if (endpoint !== undefined) {
    const all = { accessKey: required(env, 'ESD_S3_ACCESS_KEY'), secretKey: required(env, 'ESD_S3_SECRET_KEY') };
    return { endpoint, key: () => all };
  }
  const key = (bucket: string) => ({
    accessKey: secrets.token(`s3/${bucket}/access-key`),
    secretKey: secrets.token(`s3/${bucket}/secret-key`),
  });
  const keys = buckets.map((bucket) => ({ buckets: [bucket], ...key(bucket) }));
  const embedded = await embeddedObjectStore({ dataDir, keys });
  await supervisor.start(embedded.spec);
  return { endpoint: embedded.endpoint, key };
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined)
    throw new StackError(`${name} is missing. Set it to a credential of the server that the environment names.`);
  return value;
}
