import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { smallSubmission } from '@esd/testing/records';
import { startStack, type TestStack } from '@esd/testing/stack';
import { createAdmin } from '../support/admin.ts';
import { type Answer, type Api, apiAt } from '../support/api.ts';
import { query } from '../support/database.ts';
import { expectExactlyOnce } from '../support/dataset-log.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { imageForm, noisePng } from '../support/images.ts';
import { type Attempt, outcomes, startLoad, stopLoads } from '../support/load.ts';
import { submission } from '../support/shapes.ts';
import { cannotMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import type { Drill, DrillContext } from './drill.ts';

/** The servers with the folder of their data. A new PostgreSQL with five databases has 110 MB. */
const SERVERS = [
  { part: 'postgres', folder: 'postgres', megabytes: 192 },
  { part: 'nats', folder: 'nats', megabytes: 64 },
  { part: 'object-store', folder: 'objects', megabytes: 64 },
] as const;
const TEMPORARY = 'temporary files';
const TEMPORARY_MB = 64;
const WHOLE_MS = 30_000;
const PART_MS = 6_000;
const REFILL_MS = 100;
const PAUSE_MS = 200;
const WORKS_AGAIN_MS = 180_000;
const RECORDS = 1_000;
const PUBLIC = 100;
const IMAGE_EDGE = 300;

export const disks: Drill = {
  name: 'disks',
  passes:
    'no acknowledged write is lost, no read from the index fails while a disk is full, and everything works again without a restart, except NATS.',
  run: async ({ whole, say }) => {
    if (cannotMount !== undefined) return { counts: {}, failures: [], skipped: cannotMount };
    const parent = await mkdtemp(join(tmpdir(), 'esd-disks-'));
    const temporary = join(parent, 'temporary');
    const mounted: SmallDisk[] = [await mountSmallDisk(temporary, TEMPORARY_MB)];
    let stack: TestStack | undefined;
    try {
      stack = await startStack({ empty: true, env: { TMPDIR: temporary } });
      const full = new Map<string, SmallDisk | undefined>([[TEMPORARY, mounted[0]]]);
      for (const { part, folder, megabytes } of SERVERS) {
        await stack.kill(part);
        const disk = await mountSmallDisk(join(stack.dataDir, folder), megabytes);
        mounted.push(disk);
        full.set(part, disk);
        await stack.start(part);
      }
      return await fillEach(stack, full, whole ? WHOLE_MS : PART_MS, say);
    } finally {
      await stopLoads();
      for (const disk of mounted) disk.free();
      // Before the stop, which deletes the folder. The servers still reach their files.
      for (const disk of mounted) await disk.unmount();
      await stack?.stop();
      await rm(parent, { recursive: true });
    }
  },
};

async function fillEach(
  stack: TestStack,
  all: ReadonlyMap<string, SmallDisk | undefined>,
  fullMs: number,
  say: DrillContext['say'],
) {
  const api = apiAt(stack.url);
  const { token } = await createAdmin(api);
  const own = await submitRecords(api, smallSubmission(RECORDS), token);
  const published = own.splice(0, PUBLIC);
  await api.post('/moderation/approve', { recordIds: published }, { bearer: token });
  await untilTotal(api, PUBLIC);
  const processes = () => Object.keys(stack.addresses).map((name) => `${name} ${stack.pid(name) ?? 'down'}`);
  const before = processes();
  const counts = {
    disks: 0,
    reads: 0,
    'failed reads': 0,
    writes: 0,
    'refused writes': 0,
    'lost writes': 0,
    'restarted processes': 0,
  };
  const failures: string[] = [];

  for (const [part, disk] of all) {
    const loads = loadOf(api, token, own);
    await sleep(1_000);
    for (const end = Date.now() + fullMs; Date.now() < end; await sleep(REFILL_MS)) disk?.fill();
    const reads = await loads.reads.stop();
    disk?.free();
    // After a failed write, NATS refuses every write to the stream until it restarts. Its events wait in the outbox.
    if (part === 'nats') await stack.restart(part);
    await worksAgain(api, token, own).catch((error: unknown) => failures.push(`${part} freed: ${String(error)}`));
    const { reads: _, ...writing } = loads;
    const writes = Object.entries(writing).map(async ([kind, load]) => [kind, await load.stop()] as const);
    const written = new Map(await Promise.all(writes));
    const texts = [...written].map(([kind, attempts]) => `${kind} ${JSON.stringify(outcomes(attempts))}`);
    say(`${part} full: reads ${JSON.stringify(outcomes(reads))}, ${texts.join(', ')}`);

    const failed = reads.filter(({ answer }) => answer?.status !== 200);
    if (failed.length > 0)
      failures.push(`${part} full: ${failed.length} failed reads ${JSON.stringify(outcomes(failed))}`);
    for (const [kind, attempts] of written) {
      const wrong = Object.keys(outcomes(attempts)).filter((status) => !['200', '201', '503', '507'].includes(status));
      if (wrong.length > 0) failures.push(`${part} full: ${kind} got ${wrong.join(', ')}`);
    }
    const lost = await lostOf(stack, api, written);
    if (lost.length > 0) failures.push(`${part} full: lost ${lost.join(', ')}`);
    counts.disks += 1;
    counts.reads += reads.length;
    counts['failed reads'] += failed.length;
    const all = [...written.values()].flat();
    counts.writes += all.filter(({ answer }) => [200, 201].includes(answer?.status ?? 0)).length;
    counts['refused writes'] += all.filter(({ answer }) => answer?.status === 503).length;
    counts['lost writes'] += lost.length;
  }
  const restarted = processes().filter((one, index) => one !== before[index]);
  counts['restarted processes'] = restarted.length;
  if (restarted.length > 0) failures.push(`restarted: ${restarted.join(', ')}`);
  const [approved] = await query(
    stack.databaseUrl('esd_submission'),
    `select count(*) from record where status = 'APPROVED'`,
  );
  await untilTotal(api, Number(approved?.['count'])).catch((error: unknown) => failures.push(String(error)));
  await expectExactlyOnce(stack).catch((error: unknown) => failures.push(String(error)));
  return { counts, failures };
}

const uploaded = z.looseObject({ imageId: z.string() });

const submitOne = (api: Api, bearer: string): Promise<Answer> =>
  api.post('/data/submit', smallSubmission(), { bearer, headers: { 'idempotency-key': randomUUID() } });
const approveOne = (api: Api, bearer: string, id: number): Promise<Answer> =>
  api.post(`/moderation/records/${id}/approve`, '', { bearer });
const uploadOne = (api: Api): Promise<Answer> => {
  const { body, headers } = imageForm(noisePng(IMAGE_EDGE));
  return api.post('/images/upload', body, { headers });
};

function loadOf(api: Api, bearer: string, pending: number[]) {
  const paced = async (send: () => Promise<Answer>): Promise<Answer> => {
    await sleep(PAUSE_MS);
    return send();
  };
  return {
    // Each page is requested once per part, so that no cache of the gateway serves it.
    reads: startLoad(2, (number) =>
      paced(() => api.get(`/public/dataset?skip=${number % 90}&limit=${1 + (number % 9)}`)),
    ),
    submissions: startLoad(1, () => paced(() => submitOne(api, bearer))),
    approvals: startLoad(1, () => paced(() => approveOne(api, bearer, pending.shift() ?? 0))),
    uploads: startLoad(1, () => paced(() => uploadOne(api))),
  };
}

/** Waits until each kind of write succeeds. */
async function worksAgain(api: Api, bearer: string, pending: number[]): Promise<void> {
  await eventually(
    async () => {
      const writes = [submitOne(api, bearer), approveOne(api, bearer, pending.shift() ?? 0), uploadOne(api)];
      return (await Promise.all(writes)).map(({ status }) => status);
    },
    (statuses) => String(statuses) === '201,200,201',
    WORKS_AGAIN_MS,
  );
}

/** Returns the acknowledged submissions that are not stored, and the acknowledged images that are not served. */
async function lostOf(stack: TestStack, api: Api, written: ReadonlyMap<string, readonly Attempt[]>): Promise<string[]> {
  const rows = await query(stack.databaseUrl('esd_submission'), 'select id from submission');
  const stored = new Set(rows.map(({ id }) => id));
  const acknowledged = (kind: string) =>
    (written.get(kind) ?? []).flatMap(({ answer }) => (answer?.status === 201 ? [answer] : []));
  const submissions = acknowledged('submissions').map(({ json }) => submission.parse(json).submissionId);
  const lost = submissions.filter((id) => !stored.has(id)).map((id) => `submission ${id}`);
  for (const { json } of acknowledged('uploads')) {
    const { imageId } = uploaded.parse(json);
    if ((await api.get(`/images/${imageId}/content`)).status !== 200) lost.push(`image ${imageId}`);
  }
  return lost;
}
