import type { Nats } from '@esd/events/nats';
import { DURABLES } from '@esd/events/stream';
import type { Logger } from '@esd/service/health/log';
import type { Kysely } from 'kysely';
import { publishImages } from './publish/publish-images.ts';
import { decodePublishedImages, type PublishedImages } from './publish/record-approved.event.ts';
import type { Tables } from './tables.ts';

export function approvedRecordsConsumer(database: Kysely<Tables>, nats: Nats, log: Logger) {
  return {
    nats,
    ...DURABLES.mediaRecordApproved,
    decode: decodePublishedImages,
    handle: (events: readonly PublishedImages[]) => publishImages(database, events, log),
    log,
  };
}
