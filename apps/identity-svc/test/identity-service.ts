import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { AdministrationServiceService } from '@esd/proto/esd/identity/v1/administration';
import { IdentityServiceService } from '@esd/proto/esd/identity/v1/identity';
import { SessionServiceService } from '@esd/proto/esd/identity/v1/sessions';
import { TokenServiceService } from '@esd/proto/esd/identity/v1/tokens';
import { TwoFactorServiceService } from '@esd/proto/esd/identity/v1/two_factor';
import { createLog } from '@esd/service/health/log';
import { rpcTargetOf } from '@esd/service/auth/call-target';
import { openDatabase } from '@esd/service/database/postgres';
import { type CallOptions, type RpcClient, rpcClient } from '@esd/service/rpc/rpc-client';
import type { RpcDefinition } from '@esd/service/rpc/rpc-types';
import { CHEAP_PASSWORDS } from '@esd/testing/cheap-passwords';
import { testPeers } from '@esd/testing/peers';
import { createDatabase } from '@esd/testing/servers';
import type { AccountRole } from '@esd/proto/account-role';
import { migrations } from '../migrations/index.ts';
import { loadConfig } from '../src/config.ts';
import { startIdentity as startIdentityService } from '../src/service.ts';
import type { IdentityTables } from '../src/tables.ts';

const peers = testPeers('identity-svc');
const DEFINITIONS: RpcDefinition[] = [
  AdministrationServiceService,
  IdentityServiceService,
  SessionServiceService,
  TokenServiceService,
  TwoFactorServiceService,
];
const TARGETS = DEFINITIONS.map((definition) => rpcTargetOf(Object.values(definition)[0]?.path ?? '').target);

/** The assertions of one caller, by target. */
export type Assertions = ReadonlyMap<string, string>;

/** Returns a P-256 key pair as the JWK of the configuration. */
export function newKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { kty: 'EC' as const, crv: 'P-256' as const, x, y, d, kid: randomUUID() };
}

export type Key = ReturnType<typeof newKey>;

const keySet = (...keys: Key[]): string => JSON.stringify({ keys });

/** Returns the environment of identity-svc without its database. */
export function environmentOf(sessionKeys: Key[], assertionKey: Key) {
  return {
    ...peers.settings,
    ESD_GRPC_LISTEN: '127.0.0.1:0',
    ESD_SESSION_PRIVATE_KEYS: keySet(...sessionKeys),
    ESD_ASSERTION_PRIVATE_KEYS: keySet(assertionKey),
    ESD_ASSERTION_PUBLIC_KEYS: keySet(assertionKey),
    // Nothing listens on this port, because requests need no events.
    ESD_NATS_URL: 'nats://127.0.0.1:1',
    ESD_NATS_USER: 'identity-svc',
    ESD_NATS_PASSWORD: 'none',
    ESD_SECRETS_KEY: randomBytes(32).toString('base64url'),
    ...CHEAP_PASSWORDS,
  };
}

/** Connects to one of the gRPC services as the gateway does. */
function connectTo<Definition extends RpcDefinition>(definition: Definition, port: number): RpcClient<Definition> {
  return rpcClient(definition, {
    service: 'identity-svc',
    target: `ipv4:127.0.0.1:${port}`,
    serviceAssertions: peers.serviceAssertions,
    // Dozens of concurrent hashes take long on a busy machine, and pings would end them: when the service does not answer a
    // ping in 2 s, or has closed the connection to new calls.
    timeoutMs: 300_000,
    pingMs: 300_000,
  });
}

type Client = RpcClient<typeof IdentityServiceService>;
type Resolved = Awaited<ReturnType<Client['resolveBearer']>>;

/** A client of IdentityService that by default resolves bearers for every gRPC service of identity-svc. */
export interface IdentityClient extends Omit<Client, 'resolveBearer'> {
  resolveBearer: (request: { bearer: string; targets?: string[] }, options: CallOptions) => Promise<Resolved>;
}

export function connect(port: number): IdentityClient {
  const client = connectTo(IdentityServiceService, port);
  return {
    ...client,
    resolveBearer: ({ bearer, targets = TARGETS }, options) => client.resolveBearer({ bearer, targets }, options),
  };
}

export interface IdentityUnderTest {
  client: IdentityClient;
  tokens: RpcClient<typeof TokenServiceService>;
  sessions: RpcClient<typeof SessionServiceService>;
  administration: RpcClient<typeof AdministrationServiceService>;
  twoFactor: RpcClient<typeof TwoFactorServiceService>;
  database: Kysely<IdentityTables>;
  sessionKey: Key;
  assertionKey: Key;
  databaseUrl: string;
  stop(): Promise<void>;
}

/** Starts identity-svc, on a new database by default. */
export async function startIdentity(
  settings: {
    sessionKeys?: Key[];
    databaseUrl?: string | undefined;
    environment?: Record<string, string | undefined>;
  } = {},
): Promise<IdentityUnderTest> {
  const sessionKeys = settings.sessionKeys ?? [newKey()];
  const assertionKey = newKey();
  const fresh = settings.databaseUrl === undefined ? await createDatabase('identity', migrations) : undefined;
  const config = loadConfig({
    ...environmentOf(sessionKeys, assertionKey),
    ESD_DATABASE_URL: settings.databaseUrl ?? fresh?.url,
    ESD_MIGRATE: 'auto',
    ...settings.environment,
  });
  const log = createLog('identity-svc', 'silent');
  const service = await startIdentityService(config, log);
  const database = openDatabase<IdentityTables>(config.ESD_DATABASE_URL, 4, log);
  const port = await service.grpcPort;
  const client = connect(port);
  const tokens = connectTo(TokenServiceService, port);
  const sessions = connectTo(SessionServiceService, port);
  const administration = connectTo(AdministrationServiceService, port);
  const twoFactor = connectTo(TwoFactorServiceService, port);
  const [sessionKey] = sessionKeys;
  if (!sessionKey) throw new Error('a session key is required');
  return {
    client,
    tokens,
    sessions,
    administration,
    twoFactor,
    database,
    sessionKey,
    assertionKey,
    databaseUrl: config.ESD_DATABASE_URL,
    stop: async () => {
      for (const { channel } of [client, tokens, sessions, administration, twoFactor]) channel.close();
      await service.stop();
      await database.destroy();
      await fresh?.drop();
    },
  };
}

/** Returns the options of a call. A string is the assertion for every service. */
export function call(caller?: Assertions | string): CallOptions {
  if (caller === undefined) return { requestId: randomUUID() };
  const assertions = typeof caller === 'string' ? new Map(TARGETS.map((target) => [target, caller])) : caller;
  return { requestId: randomUUID(), assertions };
}

/** Returns the code of the ServiceError of a call, or `OK`. */
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

export async function loginAgain(client: IdentityUnderTest['client'], rememberMe = false, email = ADMIN.email) {
  const { session } = await client.login({ email, password: ADMIN.password, rememberMe }, call());
  if (!session) throw new Error('the response has no session');
  return session;
}

export async function assertionsOf({ client }: Pick<IdentityUnderTest, 'client'>, bearer: string): Promise<Assertions> {
  const { assertions } = await client.resolveBearer({ bearer }, call());
  return new Map(assertions.map(({ target, assertion }) => [target, assertion]));
}

/** Adds a verified account with the password of the existing ADMIN and logs it in. */
export async function addAccount({ client, database }: IdentityUnderTest, email: string, role: AccountRole = 'USER') {
  const { password_hash } = await database
    .selectFrom('account')
    .select('password_hash')
    .where('email', '=', ADMIN.email)
    .executeTakeFirstOrThrow();
  const id = randomUUID();
  await database
    .insertInto('account')
    .values({
      id,
      email,
      email_normalized: email.toLowerCase(),
      password_hash,
      role,
      email_verified: true,
      name: email,
      orcid: null,
    })
    .execute();
  return { id, token: (await loginAgain(client, false, email)).token };
}
