import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { assertionVerifier } from '@esd/service/assertion';
import { readConfig } from '@esd/service/config';
import { createLog } from '@esd/service/log';
import { migrate } from '@esd/service/migrate';
import { openDatabase } from '@esd/service/postgres';
import { type CallOptions, type RpcClient, rpcClient } from '@esd/service/rpc-client';
import { startRpcServer } from '@esd/service/rpc-server';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { identitySettings } from '../src/config.ts';
import { identityRpc } from '../src/rpc/identity.rpc.ts';
import type { IdentityTables } from '../src/tables.ts';

const SERVICE_TOKEN = randomBytes(24).toString('hex');

/** A P-256 key pair as the JWK that the configuration takes. */
export function newKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { kty: 'EC' as const, crv: 'P-256' as const, x, y, d, kid: randomUUID() };
}

export type Key = ReturnType<typeof newKey>;

const keySet = (...keys: Key[]): string => JSON.stringify({ keys });

/** The environment of identity-svc, all but its database. */
export function environmentOf(sessionKeys: Key[], assertionKey: Key) {
  return {
    ESD_SERVICE_TOKEN: randomBytes(24).toString('hex'),
    ESD_PEER_TOKENS: `gateway=${createHash('sha256').update(SERVICE_TOKEN).digest('hex')}`,
    ESD_GRPC_LISTEN: '127.0.0.1:0',
    ESD_SESSION_PRIVATE_KEYS: keySet(...sessionKeys),
    ESD_ASSERTION_PRIVATE_KEYS: keySet(assertionKey),
    ESD_ASSERTION_PUBLIC_KEYS: keySet(assertionKey),
  };
}

/** A client as the gateway has it. */
export function connect(port: number): RpcClient<typeof IdentityServiceService> {
  return rpcClient(IdentityServiceService, {
    target: `ipv4:127.0.0.1:${port}`,
    service: 'gateway',
    serviceToken: SERVICE_TOKEN,
    // Dozens of hashes at once take long where tests of others run beside them.
    timeoutMs: 20_000,
  });
}

export interface IdentityUnderTest {
  client: RpcClient<typeof IdentityServiceService>;
  database: Kysely<IdentityTables>;
  sessionKey: Key;
  assertionKey: Key;
  databaseUrl: string;
  stop(): Promise<void>;
}

/** Identity-svc behind a real socket, on a database of its own. */
export async function startIdentity(
  settings: { sessionKeys?: Key[]; databaseUrl?: string | undefined; environment?: Record<string, string> } = {},
): Promise<IdentityUnderTest> {
  const sessionKeys = settings.sessionKeys ?? [newKey()];
  const assertionKey = newKey();
  const fresh = settings.databaseUrl === undefined ? await createDatabase('identity') : undefined;
  const config = readConfig(identitySettings, {
    ...environmentOf(sessionKeys, assertionKey),
    ESD_DATABASE_URL: settings.databaseUrl ?? fresh?.url,
    ...settings.environment,
  });
  const log = createLog('identity-svc', 'silent');
  const database = openDatabase<IdentityTables>(config.ESD_DATABASE_URL, config.ESD_DATABASE_CONNECTIONS, log);
  if (fresh) await migrate(database, migrations);
  const server = await startRpcServer({
    listen: config.ESD_GRPC_LISTEN,
    services: [await identityRpc(config, database)],
    peers: config.ESD_PEER_TOKENS,
    verifyAssertion: assertionVerifier(config.ESD_ASSERTION_PUBLIC_KEYS),
    log,
  });
  const client = connect(server.port);
  const [sessionKey] = sessionKeys;
  if (!sessionKey) throw new Error('a session key is needed');
  return {
    client,
    database,
    sessionKey,
    assertionKey,
    databaseUrl: config.ESD_DATABASE_URL,
    stop: async () => {
      client.channel.close();
      await server.drain(1);
      await database.destroy();
      await fresh?.drop();
    },
  };
}

/** What goes along with one call in a test. */
export function call(assertion?: string): CallOptions {
  return { requestId: randomUUID(), assertion };
}

/** The code of the ServiceError with which a call ends, `OK` when it does not. */
export async function codeOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return 'OK';
  } catch (error) {
    return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);
  }
}

export const ADMIN = { email: 'Ada@Example.org', password: 'correct horse battery', name: 'Ada' };

/** Creates the first ADMIN and logs it in. */
export async function loginAdmin({ client }: IdentityUnderTest) {
  await client.createFirstAdmin(ADMIN, call());
  return await loginAgain(client);
}

export async function loginAgain(client: IdentityUnderTest['client'], rememberMe = false) {
  const { session } = await client.login({ email: ADMIN.email, password: ADMIN.password, rememberMe }, call());
  if (!session) throw new Error('no session in the answer');
  return session;
}
