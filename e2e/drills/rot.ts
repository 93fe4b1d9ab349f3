import { createHash } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { smallRecord } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { poolFile, readList } from '@esd/tools/deploy/object-pool';
import { verifyRelease } from '@esd/tools/verify-release';
import { createAdmin } from '../support/admin.ts';
import { type Api, apiAt } from '../support/api.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { esdAdmin } from '../support/esd-admin.ts';
import { eventually } from '@esd/testing/eventually';
import { uploadImage } from '../support/images.ts';
import { replaceStoredObject } from '../support/stored-objects.ts';
import {
  backupScript,
  emptyDatabases,
  emptyStream,
  postgresCommand,
  WITHOUT_POSTGRES_PROGRAMS,
} from '../support/stack-backup.ts';
import type { Drill } from './drill.ts';

const VERSION = 'v1.0.0';
const VERIFY_MS = 120_000;
/** The length of the part by which a file is found in a volume of the store. */
const SAMPLE = 64;

export const rot: Drill = {
  name: 'rot',
  passes:
    'a flipped byte in a file of a release, in the dump of a backup, and in an object of a backup, and a file of a release that was replaced in the store are found, and none is served.',
  run: async ({ say }) => {
    const folder = await mkdtemp(join(tmpdir(), 'esd-rot-'));
    const stack = await startStack({ empty: true });
    try {
      const programs = await postgresCommand(stack);
      const api = apiAt(stack.url);
      const { token } = await createAdmin(api);
      const record = { ...smallRecord, fiberImages: [{ imageId: await uploadImage(api) }] };
      const recordIds = await submitRecords(api, { experimentData: [record] }, token);
      await api.post('/moderation/approve', { recordIds }, { bearer: token });
      await untilTotal(api, 1);
      await api.post('/admin/versions', { versionIdentifier: VERSION }, { bearer: token });
      const release = await eventually(
        async () => releases.parse((await api.get('/public/dataset/versions')).json)[0],
        (found) => found !== undefined,
      );
      const backup = programs === undefined ? '' : await backupScript(stack, 'backup.sh', folder, folder);

      const failures: string[] = [];
      let [found, served] = [0, 0];
      const count = (what: string, isFound: boolean, isServed: boolean): void => {
        say(`${what}: ${isFound ? 'found' : 'NOT found'}, ${isServed ? 'SERVED' : 'not served'}`);
        if (isFound) found += 1;
        else failures.push(`${what}: the damage was not found`);
        if (isServed) served += 1;
        if (isServed) failures.push(`${what}: the damaged bytes were served`);
      };
      const file = release?.files.find(({ format }) => format === 'parquet');
      const path = `/public/dataset/${VERSION}/export?format=parquet`;
      await flipInStore(stack, await bytesOf(api, path));
      const hashes = [await hashOf(api, path), await hashOf(api, path)];
      const signal = AbortSignal.timeout(VERIFY_MS);
      const isIntact = await verifyRelease({ url: stack.url, version: VERSION, signal, say: () => undefined });
      count(
        'a file of a release',
        !isIntact,
        hashes.some((one) => one !== undefined && one !== file?.sha256),
      );

      if (programs === undefined) {
        return { counts: { flipped: 1, found, served }, failures, skipped: WITHOUT_POSTGRES_PROGRAMS };
      }
      const objects = await readList(join(backup, 'esd-exports.sha256'));
      const [key = '', { sha256 = '' } = {}] = [...objects].find(([name]) => name.endsWith('.parquet')) ?? [];
      await replaceStoredObject(stack, 'esd-exports', key, 'other content');
      const secondBackup = await backupScript(stack, 'backup.sh', folder, folder).catch(String);
      const servedHash = await hashOf(api, path);
      count(
        'a replaced file of a release',
        secondBackup.includes(`${key} has changed`),
        servedHash !== undefined && servedHash !== file?.sha256,
      );
      await emptyDatabases(stack);
      const refusal = await backupScript(stack, 'restore.sh', backup, folder).then(() => '', String);
      if (!refusal.includes('The event stream ESD is not empty'))
        failures.push(`old events are not refused: ${refusal}`);
      await emptyStream(stack);
      const dump = join(backup, 'esd_dataset.dump');
      for (const [what, damaged] of [
        ['the dump of a backup', dump],
        ['an object of a backup', poolFile(join(folder, 'objects'), sha256)],
      ] as const) {
        const middle = (await readFile(damaged)).length >> 1;
        await flip(damaged, middle);
        const env = { ESD_POSTGRES: programs };
        const { code, stdout } = await esdAdmin(['backup', 'check', backup], env);
        const failure = await backupScript(stack, 'restore.sh', backup, folder).then(() => '', String);
        count(what, code === 1 && stdout.includes('damaged'), failure === '');
        const isOtherwiseRestored = failure.includes(`${key} is not restored`) && failure.includes('restored; start');
        if (damaged !== dump && !isOtherwiseRestored)
          failures.push(`restore.sh does not report the object and restore everything else: ${failure}`);
        await flip(damaged, middle);
      }
      const { code, stdout } = await esdAdmin(['backup', 'check', backup], { ESD_POSTGRES: programs });
      if (code !== 0) failures.push(`the repaired backup is reported as damaged: ${stdout}`);
      return { counts: { flipped: 3, replaced: 1, found, served }, failures };
    } finally {
      await stack.stop();
      await rm(folder, { recursive: true });
    }
  },
};

const releases = z.array(z.looseObject({ files: z.array(z.looseObject({ format: z.string(), sha256: z.string() })) }));

/** Flips a byte of stored bytes in the volumes of the store, without its knowledge. */
async function flipInStore(stack: TestStack, bytes: Buffer): Promise<void> {
  const folder = join(stack.dataDir, 'objects');
  const middle = bytes.length >> 1;
  for (const name of (await readdir(folder, { recursive: true })).filter((one) => one.endsWith('.dat'))) {
    const at = (await readFile(join(folder, name))).indexOf(bytes.subarray(middle, middle + SAMPLE));
    if (at < 0) continue;
    await flip(join(folder, name), at);
    return;
  }
  throw new Error('no volume of the store contains the file');
}

async function flip(file: string, position: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, position);
    await handle.write(Buffer.of((byte[0] ?? 0) ^ 1), 0, 1, position);
  } finally {
    await handle.close();
  }
}

async function bytesOf(api: Api, path: string): Promise<Buffer> {
  const response = await fetch(api.url + path, { signal: AbortSignal.timeout(VERIFY_MS) });
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  return Buffer.from(await response.bytes());
}

/** Returns the SHA-256 of a complete response; undefined for an incomplete one. */
async function hashOf(api: Api, path: string): Promise<string | undefined> {
  const bytes = await bytesOf(api, path).catch(() => undefined);
  return bytes && createHash('sha256').update(bytes).digest('hex');
}
