import { periodicJob } from '@esd/background/periodic-job';
import { startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { outboxGauges, outboxState } from '@esd/events/outbox';
import { startRelay } from '@esd/events/relay';
import { PEERS } from '@esd/proto/peers';
import { callGuard } from '@esd/service/auth/call-guard';
import { readTls } from '@esd/service/auth/tls';
import { openServiceDatabase } from '@esd/service/database/service-database';
import type { Logger } from '@esd/service/health/log';
import { type RunningServers, startServers } from '@esd/service/start-servers';
import { migrations } from '../migrations/index.ts';
import type { IdentityConfig } from './config.ts';
import { recordMessagesConsumer, reviewedRecordsConsumer } from './consumers.ts';
import { deleteExpired } from './delete-expired.ts';
import { mailGauges } from './mail/mail.store.ts';
import { openMail } from './mail/open-mail.ts';
import { administrationRpc } from './rpc/administration.rpc.ts';
import { accountRpcs } from './rpc/identity.rpc.ts';
import { sessionsRpc } from './rpc/sessions.rpc.ts';
import { tokensRpc } from './rpc/tokens.rpc.ts';
import { publicKeySet } from './session/signing-keys.ts';
import type { IdentityTables } from './tables.ts';
import { startTokenUses } from './token/token-uses.ts';

const DELETE_EXPIRED_MS = 600_000;
/** Starts identity-svc. Throws an Error if the configuration is not usable. */
export async function startIdentity(config: IdentityConfig, log: Logger): Promise<RunningServers> {
  const { database, dependency, measured } = await openServiceDatabase<IdentityTables>(config, migrations, log);
  const nats = openNats(config, 'identity-svc', log);
  const mail = openMail(config, database, log);
  const tokenUses = startTokenUses(database, log);
  const expiry = {
    name: 'expired-data' as const,
    everyMs: DELETE_EXPIRED_MS,
    firstMs: DELETE_EXPIRED_MS,
    run: () => deleteExpired(database, config.ESD_AUDIT_ADDRESS_DAYS),
    log,
  };
  return await startServers({
    config,
    log,
    guard: callGuard(config, PEERS, log),
    tls: readTls(config),
    rpcServices: [
      ...(await accountRpcs(config, database, tokenUses)),
      tokensRpc(database),
      sessionsRpc(database, publicKeySet(config.ESD_SESSION_PRIVATE_KEYS)),
      administrationRpc(database),
    ],
    dependencies: [dependency, nats.dependency, mail.dependency],
    status: { outbox: () => outboxState(database) },
    measured: [measured, outboxGauges(database), mailGauges(database)],
    background: () => [
      periodicJob(expiry),
      tokenUses,
      startConsumer(reviewedRecordsConsumer(database, nats, log)),
      startConsumer(recordMessagesConsumer(database, nats, log)),
      startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log }),
      mail,
      () => nats.close(),
      () => database.destroy(),
    ],
  });
}
