import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { smallRecord } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { readList } from '@esd/tools/deploy/object-pool';
import { verifyRelease } from '@esd/tools/verify-release';
import { createAdmin, login } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { expectWholeLog } from '../support/dataset-log.ts';
import { readAll, submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { uploadImage } from '../support/images.ts';
import { startLoad, stopLoads } from '../support/load.ts';
import { replaceStoredObject } from '../support/stored-objects.ts';
import { backupScript, emptyDatabases, postgresCommand, WITHOUT_POSTGRES_PROGRAMS } from '../support/stack-backup.ts';
import type { Drill } from './drill.ts';

const WHOLE = 100;
const PART = 10;
const VERSION = 'v1.0.0';
const VERIFY_MS = 120_000;

export const restore: Drill = {
  name: 'restore',
  passes:
    'a backup during writes, restored into another system, has everything acknowledged before, an intact release, and the earlier content of an image that was replaced in the store.',
  run: async ({ whole }) => {
    const folder = await mkdtemp(join(tmpdir(), 'esd-restore-'));
    const stacks: TestStack[] = [];
    try {
      const first = await startStack({ empty: true });
      stacks.push(first);
      if ((await postgresCommand(first)) === undefined) {
        return { counts: {}, failures: [], skipped: WITHOUT_POSTGRES_PROGRAMS };
      }
      const api = apiAt(first.url);
      const { token, who } = await createAdmin(api);
      const writing = startWriting(api, token);
      await untilWritten(writing.approved, whole ? WHOLE : PART);
      await api.post('/admin/versions', { versionIdentifier: VERSION }, { bearer: token });
      await eventually(
        () => api.get('/public/dataset/versions'),
        ({ text }) => text.includes(VERSION),
      );
      const firstBackup = await backupScript(first, 'backup.sh', folder, folder);
      const [imageKey = ''] = (await readList(join(firstBackup, 'esd-images.sha256'))).keys();
      await replaceStoredObject(first, 'esd-images', imageKey, 'other content');
      const earlier = { images: new Map(writing.images), approved: new Set(writing.approved) };
      const report = await backupScript(first, 'backup.sh', folder, folder).catch(String);
      const names = (await readdir(folder)).filter((name) => name.endsWith('Z')).sort();
      const backup = join(folder, names.at(-1) ?? '');
      const during = writing.images.size - earlier.images.size;
      await writing.load.stop();
      const versions = (await api.get('/public/dataset/versions')).json;
      await first.stop();

      const second = await startStack({ empty: true });
      stacks.push(second);
      await emptyDatabases(second);
      await backupScript(second, 'restore.sh', backup, folder);
      await Promise.all(Object.keys(second.addresses).map((name) => second.start(name)));
      const restored = apiAt(second.url);
      const failures: string[] = [];
      if (!report.includes(`${imageKey} has changed`)) failures.push('the backup does not report the replaced image');
      if (during === 0) failures.push('nothing was written during the backup');

      const expected = await query(
        second.databaseUrl('esd_submission'),
        `select count(*) from record where status = 'APPROVED'`,
      );
      await untilTotal(restored, Number(expected[0]?.['count'])).catch((error: unknown) =>
        failures.push(String(error)),
      );
      const shown = new Set((await readAll(restored)).map(({ recordId }) => recordId));
      const bearer = await login(restored, who);
      const own = z.array(z.int()).parse((await restored.get('/data/my-records/ids', { bearer })).json);
      const lost = [...earlier.images.keys()].filter((id) => !own.includes(id)).map((id) => `record ${id}`);
      lost.push(...[...earlier.approved].filter((id) => !shown.has(id)).map((id) => `public record ${id}`));
      for (const [record, { imageId, sha256 }] of earlier.images) {
        if ((await sha256Of(restored, imageId)) !== sha256) lost.push(`image ${imageId} of record ${record}`);
      }
      if (lost.length > 0) failures.push(`lost: ${lost.join(', ')}`);
      await expectWholeLog(second.databaseUrl('esd_dataset')).catch((error: unknown) => failures.push(String(error)));
      const listed = (await restored.get('/public/dataset/versions')).json;
      if (JSON.stringify(listed) !== JSON.stringify(versions)) failures.push('the list of releases differs');
      const signal = AbortSignal.timeout(VERIFY_MS);
      if (!(await verifyRelease({ url: second.url, version: VERSION, signal, say: () => undefined })))
        failures.push('the release differs');
      return {
        counts: {
          'records before': earlier.images.size,
          'public before': earlier.approved.size,
          'records during': during,
          lost: lost.length,
          'intact releases': failures.includes('the release differs') ? 0 : 1,
        },
        failures,
      };
    } finally {
      await stopLoads();
      for (const stack of stacks) await stack.stop();
      await rm(folder, { recursive: true });
    }
  },
};

interface Image {
  imageId: string;
  sha256: string;
}

/** Submits records with images continuously and approves every other one. Notes what is acknowledged, by record. */
function startWriting(api: Api, bearer: string) {
  const [images, approved] = [new Map<number, Image>(), new Set<number>()];
  const load = startLoad(1, async () => {
    const imageId = await uploadImage(api);
    const fiberImages = [{ imageId }];
    const [id = 0] = await submitRecords(api, { experimentData: [{ ...smallRecord, fiberImages }] }, bearer);
    images.set(id, { imageId, sha256: await sha256Of(api, imageId) });
    if (id % 2 === 0) return api.get('/health');
    const answer = await api.post(`/moderation/records/${id}/approve`, '', { bearer });
    if (answer.status === 200) approved.add(id);
    return answer;
  });
  return { load, images, approved };
}

async function untilWritten(approved: ReadonlySet<number>, count: number): Promise<void> {
  await eventually(
    () => Promise.resolve(approved.size),
    (size) => size >= count,
    VERIFY_MS,
  );
}

async function sha256Of(api: Api, imageId: string): Promise<string> {
  const response = await fetch(`${api.url}/images/${imageId}/content`, { signal: AbortSignal.timeout(VERIFY_MS) });
  return createHash('sha256')
    .update(await response.bytes())
    .digest('hex');
}
