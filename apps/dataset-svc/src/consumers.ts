import { decodeAccountDeleted, type DeletedAccount } from '@esd/events/account-deleted';
import type { ConsumerOptions } from '@esd/events/consumer';
import type { Nats } from '@esd/events/nats';
import { DURABLES } from '@esd/events/stream';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import { eraseAccount } from './account/erase-account.ts';
import { type ApprovedRevision, logAppender } from './publish/append-approved.ts';
import { appendWithdrawn, type WithdrawnRecord } from './publish/append-withdrawn.ts';
import { decodeRecordApproved } from './publish/record-approved.event.ts';
import { decodeRecordWithdrawn } from './publish/record-withdrawn.event.ts';
import type { Tables } from './tables.ts';
import { freezeRelease } from './release/freeze-release.ts';
import { decodeSnapshotFrozen, type FrozenRelease } from './release/snapshot-frozen.event.ts';

interface Consumers {
  recordApproved: ConsumerOptions<ApprovedRevision>;
  recordWithdrawn: ConsumerOptions<WithdrawnRecord>;
  /** `snapshot.frozen` lists a release once its files are stored. */
  snapshotFrozen: ConsumerOptions<FrozenRelease>;
  accountDeleted: ConsumerOptions<DeletedAccount>;
}

export function datasetConsumers(database: Kysely<Tables>, nats: Nats, log: Logger): Consumers {
  const append = logAppender(database);
  return {
    recordApproved: {
      nats,
      ...DURABLES.datasetRecordApproved,
      decode: decodeRecordApproved,
      handle: async (events) => {
        await append(events);
      },
      log,
    },
    recordWithdrawn: {
      nats,
      ...DURABLES.datasetRecordWithdrawn,
      decode: decodeRecordWithdrawn,
      handle: async (events) => {
        await appendWithdrawn(database, events);
      },
      log,
    },
    snapshotFrozen: {
      nats,
      ...DURABLES.datasetSnapshotFrozen,
      decode: decodeSnapshotFrozen,
      handle: async (events) => {
        for (const event of events) await freezeRelease(database, event, log);
      },
      log,
    },
    accountDeleted: {
      nats,
      ...DURABLES.datasetAccountDeleted,
      decode: decodeAccountDeleted,
      handle: async (events) => {
        for (const event of events) await eraseAccount(database, event);
      },
      log,
    },
  };
}
