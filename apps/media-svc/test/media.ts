import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { bytePort } from '@esd/service/byte-port';
import { startInternalHttp } from '@esd/service/internal-http';
import { migrate } from '@esd/service/migrate';
import { openObjectStore } from '@esd/service/object-store';
import { openDatabase } from '@esd/service/postgres';
import { watchReadiness } from '@esd/service/readiness';
import { METADATA } from '@esd/service/rpc-metadata';
import { openSpool } from '@esd/service/spool';
import { startObjectStore } from '@esd/testing/object-store';
import { trustingGuard } from '@esd/testing/peers';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../migrations/index.ts';
import { sendContent } from '../src/content/send-content.ts';
import { objectFiles } from '../src/object-files.ts';
import type { Tables } from '../src/tables.ts';
import { decodeTurns } from '../src/upload/decode-turns.ts';
import { prepareImageLibrary } from '../src/upload/image-library.ts';
import { uploadImage } from '../src/upload/upload-image.ts';

export const PROOF = { [METADATA.service]: 'gateway', [METADATA.requestId]: 'id-1' };

export const log = pino({ level: 'silent' });

export type Media = Awaited<ReturnType<typeof startMedia>>;

/** The byte port of media-svc, before a database and an object store of its own. */
export async function startMedia(
  quota = { clientBytes: 200e6, anonymousBytes: 15e9, totalBytes: 20e9 },
  spoolMegabytes?: number,
) {
  const [{ url: databaseUrl, drop }, store] = await Promise.all([createDatabase('media'), startObjectStore()]);
  const database: Kysely<Tables> = openDatabase<Tables>(databaseUrl, 10, log);
  await migrate(database, migrations);
  const client = openObjectStore(store.config);
  const objects = objectFiles(client, store.config.ESD_S3_BUCKET);
  prepareImageLibrary();
  const spool = await openSpool('esd-media-test', { megabytes: spoolMegabytes });
  const turns = decodeTurns(2);
  const readiness = watchReadiness([], log);
  const routes = [uploadImage({ database, objects, turns, spool, quota, log }), sendContent({ database, objects })];
  const http = await startInternalHttp(
    { host: '127.0.0.1', port: 0 },
    readiness,
    bytePort(routes, { guard: trustingGuard(), log }),
  );
  const url = `http://127.0.0.1:${http.port}`;
  return {
    url,
    database,
    client,
    objects,
    store,
    bucket: store.config.ESD_S3_BUCKET,
    get: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(url + path, { method, headers: { ...PROOF, ...headers }, signal: AbortSignal.timeout(30_000) }),
    /** Uploads a file; `fields` go with it. */
    upload: async (file: Buffer, fields: Record<string, string> = {}, client = '192.0.2.1') => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(file)]), fields['name'] ?? 'x.bin');
      for (const [name, value] of Object.entries(fields)) if (name !== 'name') form.set(name, value);
      const answer = await fetch(`${url}/images/upload`, {
        method: 'POST',
        headers: { ...PROOF, [METADATA.clientIp]: client },
        body: form,
        signal: AbortSignal.timeout(60_000),
      });
      const json: unknown = await answer.json();
      return { status: answer.status, headers: answer.headers, json };
    },
    /** Lets the time pass for every image. */
    age: async (hours: number) => {
      await sql`update image set since = since - make_interval(hours => ${hours}),
        uploaded_at = uploaded_at - make_interval(hours => ${hours}),
        confirmed_at = confirmed_at - make_interval(hours => ${hours})`.execute(database);
    },
    stop: async () => {
      await http.drain(0.1);
      readiness.stop();
      await spool.close();
      await database.destroy();
      await drop();
      await store.dispose();
    },
  };
}
