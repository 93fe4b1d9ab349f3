import { redrive, startConsumer } from '@esd/events/consumer';
import { openNats } from '@esd/events/nats';
import { republish } from '@esd/events/outbox';
import { startRelay } from '@esd/events/relay';
import { callGuard } from '@esd/service/call-guard';
import { DURABLES } from '@esd/events/stream';
import { readConfig } from '@esd/service/config';
import { createLog } from '@esd/service/log';
import { runProcess } from '@esd/service/run-process';
import { openServiceDatabase } from '@esd/service/service-database';
import { startService } from '@esd/service/start-service';
import { migrations } from '../migrations/index.ts';
import { identitySettings } from './config.ts';
import { startForgetting } from './forget-expired.ts';
import { openMail } from './mail/open-mail.ts';
import { queueReviewMails } from './mail/queue-review-mails.ts';
import { decodeRecordReviewed, type ReviewedRecords } from './mail/record-reviewed.event.ts';
import { administrationRpc } from './rpc/administration.rpc.ts';
import { accountRpcs } from './rpc/identity.rpc.ts';
import { sessionsRpc } from './rpc/sessions.rpc.ts';
import { tokensRpc } from './rpc/tokens.rpc.ts';
import { publicKeySet } from './session/signing-keys.ts';
import type { IdentityTables } from './tables.ts';
import { startTokenUses } from './token/token-uses.ts';

const config = readConfig(identitySettings);
const log = createLog('identity-svc', config.ESD_LOG_LEVEL);

runProcess(log, async () => {
  const { database, dependency, watched } = await openServiceDatabase<IdentityTables>(config, migrations, log);
  if (process.argv[2] === 'republish') {
    log.info({ events: await republish(database, process.argv[3]) }, 'events will be published again');
    process.exit(0);
  }
  const nats = openNats(config, 'identity-svc', log);
  const recordReviewed = {
    nats,
    ...DURABLES.identityRecordReviewed,
    decode: decodeRecordReviewed,
    handle: (events: readonly ReviewedRecords[]) => queueReviewMails(database, events),
    log,
  };
  if (process.argv[2] === 'redrive') {
    log.info({ events: await redrive(recordReviewed) }, 'dead letters handled');
    process.exit(0);
  }
  const guard = callGuard(config, log);
  const mail = openMail(config, database, log);
  const tokenUses = startTokenUses(database, config.ESD_TOKEN_USE_SECONDS, log);
  const stops = await startService({
    config,
    log,
    guard,
    rpcServices: [
      ...(await accountRpcs(config, database, tokenUses)),
      tokensRpc(database),
      sessionsRpc(database, publicKeySet(config.ESD_SESSION_PRIVATE_KEYS)),
      administrationRpc(database),
    ],
    dependencies: [dependency, nats.dependency, mail.dependency],
    watched: [watched],
    protos: ['identity', 'two_factor', 'tokens', 'sessions', 'administration'].map(
      (name) => `esd/identity/v1/${name}.proto`,
    ),
  });
  return [
    ...stops,
    startForgetting(database, config.ESD_AUDIT_ADDRESS_DAYS, log),
    tokenUses.stop,
    startConsumer(recordReviewed),
    startRelay({ database, databaseUrl: config.ESD_DATABASE_URL, nats, log }),
    mail.stop,
    () => nats.close(),
    () => database.destroy(),
  ];
});
