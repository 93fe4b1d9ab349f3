import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { internalEndpoints } from '@esd/service/http/internal-endpoints';
import { startInternalHttp } from '@esd/service/http/internal-http';
import { openS3Client } from '@esd/object-store/s3-client';
import { openDatabase } from '@esd/service/database/postgres';
import { watchReadiness } from '@esd/service/health/readiness';
import { ImageContentRequest, ImageSize } from '@esd/proto/esd/media/v1/media';
import { streamRequestHeader } from '@esd/service/http/stream-request';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { openTempStorage } from '@esd/service/http/temp-storage';
import { startObjectStore } from '@esd/testing/object-store';
import { namedPeer, trustingGuard } from '@esd/testing/peers';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { composeMedia } from '../src/service.ts';
import type { Tables } from '../src/tables.ts';
import { decodeLimiter } from '../src/upload/decode-limiter.ts';

/** The wait and the decoding together end before fetch gives up, after five minutes. */
const PATIENT_MS = 100_000;

export const PROOF = { ...namedPeer('gateway')(''), [METADATA.requestId]: 'id-1' };

export const inSize = (imageId: string, size: ImageSize) => ({
  [METADATA.streamRequest]: streamRequestHeader(ImageContentRequest, { imageId, size }),
});

export const log = pino({ level: 'silent' });

export type Media = Awaited<ReturnType<typeof startMedia>>;

/** Starts the internal HTTP endpoints of media-svc with a new database and object store. */
export async function startMedia(tempMegabytes?: number) {
  const [{ url: databaseUrl, drop }, store] = await Promise.all([
    createDatabase('media', migrations),
    startObjectStore(),
  ]);
  const database: Kysely<Tables> = openDatabase<Tables>(databaseUrl, 10, log);
  const client = openS3Client(store.config);
  const tempStorage = await openTempStorage('esd-media-test', { megabytes: tempMegabytes });
  const config = {
    ...store.config,
    ESD_IMAGE_WORKERS: 2,
    ESD_UNATTACHED_CLIENT_MB: 200,
    ESD_UNATTACHED_TOTAL_MB: 20_000,
  };
  // On a busy machine, an image takes much longer than its processor time.
  const decoders = decodeLimiter(2, { queuedMs: PATIENT_MS, smallMs: PATIENT_MS, largeMs: PATIENT_MS });
  const { endpoints, objects } = composeMedia(config, { database, tempStorage, decoders, log });
  const readiness = watchReadiness([], log);
  const http = await startInternalHttp(
    { host: '127.0.0.1', port: 0 },
    readiness,
    internalEndpoints(endpoints, { guard: trustingGuard(), log }),
  );
  const url = `http://127.0.0.1:${http.port}`;
  return {
    url,
    database,
    client,
    objects,
    store,
    bucket: store.config.ESD_S3_BUCKET,
    /** Requests the content of an image, in full size unless the headers override it. */
    content: (imageId: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${url}/images/of-the-message/content`, {
        method,
        headers: { ...PROOF, ...inSize(imageId, ImageSize.IMAGE_SIZE_UNSPECIFIED), ...headers },
      }),
    upload: async (file: Buffer, fields: Record<string, string> = {}, client = '192.0.2.1') => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(file)]), fields['name'] ?? 'x.bin');
      for (const [name, value] of Object.entries(fields)) if (name !== 'name') form.set(name, value);
      const response = await fetch(`${url}/images/upload`, {
        method: 'POST',
        headers: { ...PROOF, [METADATA.clientIp]: client },
        body: form,
      });
      const json: unknown = await response.json();
      return { status: response.status, headers: response.headers, json };
    },
    /** Moves all times of every image into the past. */
    age: async (hours: number) => {
      await sql`update image set since = since - make_interval(hours => ${hours}),
        uploaded_at = uploaded_at - make_interval(hours => ${hours}),
        confirmed_at = confirmed_at - make_interval(hours => ${hours})`.execute(database);
    },
    stop: async () => {
      await http.drain(0.1);
      readiness.stop();
      await tempStorage.close();
      await database.destroy();
      await drop();
      await store.dispose();
    },
  };
}
