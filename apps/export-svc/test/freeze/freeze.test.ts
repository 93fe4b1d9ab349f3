import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { KyselyPlugin } from 'kysely';
import { SnapshotFrozen } from '@esd/proto/esd/events/v1/snapshot_frozen';
import { ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { ServiceError } from '@esd/service/errors';
import { recordsDigest } from '@esd/dataset-client/records-digest';
import { eventually } from '@esd/testing/eventually';
import { freeze, type FreezeDependencies } from '../../src/freeze/freeze.ts';
import { claimJob, findFreezeFiles, insertJob } from '../../src/freeze/freeze-job.store.ts';
import { startFreezeRunner } from '../../src/freeze/freeze-runner.ts';
import { freezeRpc } from '../../src/rpc/freeze.rpc.ts';
import {
  chunk,
  type DatasetServer,
  log,
  openStores,
  type Scan,
  scanOf,
  startDataset,
  state,
  openImage,
  facts,
} from '../dataset-servers.ts';

const RECORDS = [
  '{"recordId":1,"x":1.50,"normalized":{},"paper":{}}',
  '{"recordId":2,"normalized":{},"paper":{}}',
  '{"recordId":3,"b":1,"a":[2],"normalized":{"voltage":15},"paper":{}}',
];
const ACCOUNT = '0190d2b0-0000-7000-8000-000000000001';
const FORMATS = ['csv', 'json', 'parquet', 'xlsx', 'zip'];

let dataset: DatasetServer;
let scan: Scan = scanOf(RECORDS);
const stores = await openStores();
afterAll(() => stores.dispose());
beforeEach(async () => {
  scan = scanOf(RECORDS);
  dataset = await startDataset((context) => scan(context));
});
afterEach(async () => {
  await dataset.stop();
  for (const table of ['freeze_file', 'freeze_job', 'outbox'] as const) {
    await stores.database.deleteFrom(table).execute();
  }
});

const partsNow = (): FreezeDependencies => ({
  database: stores.database,
  dataset: dataset.dataset,
  releases: dataset.releaseClient,
  store: stores.store,
  tempStorage: stores.tempStorage,
  openImage,
  facts,
  root: '',
});
const newFreeze = (versionIdentifier: string) => ({
  versionIdentifier,
  description: undefined,
  doi: undefined,
  license: undefined,
  accountId: ACCOUNT,
});

/** Simulates a crash of the holder of each lease. */
async function endLeases(): Promise<void> {
  await stores.database
    .updateTable('freeze_job')
    .set({ lease_until: new Date(0) })
    .where('lease_id', 'is not', null)
    .execute();
}

async function events(): Promise<SnapshotFrozen[]> {
  const rows = await stores.database.selectFrom('outbox').selectAll().orderBy('sequence').execute();
  expect(rows.every(({ subject }) => subject === 'esd.snapshot.frozen.v1')).toBe(true);
  return rows.map(({ body }) => SnapshotFrozen.decode(body));
}

async function expectFrozen(jobId: string): Promise<void> {
  const digest = recordsDigest();
  for (const record of RECORDS) digest.update(Buffer.from(record));
  const published = (await events()).filter((event) => event.jobId === jobId);
  expect(published).toMatchObject([
    { releaseId: dataset.versions.get(jobId)?.id, recordCount: 3, digest: digest.digest() },
  ]);
  const files = await findFreezeFiles(stores.database, jobId);
  expect(files.map(({ format }) => format)).toEqual(FORMATS);
  expect(published[0]?.files).toEqual(files.map(({ format, bytes, sha256 }) => ({ format, bytes, sha256 })));
  for (const file of files) {
    expect(await storedHash(file.objectKey)).toEqual([file.sha256, file.entityTag]);
  }
}

/** Returns the hash and the entity tag of an object in the store. */
async function storedHash(key: string): Promise<[string, string | undefined]> {
  const object = await stores.store.open(key);
  const bytes = object ? await buffer(object.body) : '';
  return [createHash('sha256').update(bytes).digest('hex'), object?.entityTag];
}

async function keysIn(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of stores.store.list(prefix)) keys.push(key);
  return keys;
}

const stateOf = async (id: string): Promise<string> =>
  (await stores.database.selectFrom('freeze_job').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;

/** Returns the parts of a process that crashes at its nth step: before or after a statement, call or transfer. */
function dyingAt(parts: FreezeDependencies, last: number): { parts: FreezeDependencies; steps: () => number } {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps >= last) throw new Error('died');
  };
  const around = <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) => {
    return async (...given: Arguments): Promise<Result> => {
      step();
      const result = await call(...given);
      step();
      return result;
    };
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      step();
      return node;
    },
    transformResult: ({ result }) =>
      Promise.resolve().then(() => {
        step();
        return result;
      }),
  };
  const { store, releases, dataset } = parts;
  return {
    steps: () => steps,
    parts: {
      openImage,
      facts,
      root: '',
      tempStorage: parts.tempStorage,
      database: parts.database.withPlugin(plugin),
      store: {
        ...store,
        put: around(store.put),
        remove: around(store.remove),
      },
      releases: {
        reserveRelease: around(releases.reserveRelease),
        setReleaseFailed: around(releases.setReleaseFailed),
      },
      dataset: {
        getHead: dataset.getHead,
        scanRecords: async function* (request, call) {
          for await (const message of dataset.scanRecords(request, call)) {
            step();
            yield message;
          }
        },
      },
    },
  };
}

test('a freeze that crashes at any of its steps is completed after the next start and published once', async () => {
  const signal = new AbortController().signal;
  let last = 1;
  for (; ; last++) {
    const begun = await insertJob(stores.database, newFreeze(`v0.0.${last}`), crypto.randomUUID());
    await endLeases();
    const leaseId = crypto.randomUUID();
    const job = await claimJob(stores.database, leaseId);
    if (job?.id !== begun.id) throw new Error('another job was claimed');
    const dying = dyingAt(partsNow(), last);
    const outcome = await freeze(dying.parts, job, leaseId, signal).then(
      () => 'done',
      (error: unknown) => String(error),
    );
    if (outcome === 'done') break;
    expect(outcome).toBe('Error: died');
    // Nothing is published before all files are stored.
    const frozenBefore = (await events()).some(({ jobId }) => jobId === begun.id);
    if (frozenBefore) await expectFrozen(begun.id);
    await endLeases();
    const nextLease = crypto.randomUUID();
    const left = await claimJob(stores.database, nextLease);
    expect(left?.id).toBe(frozenBefore ? undefined : begun.id);
    if (left) await freeze(partsNow(), left, nextLease, signal);
    expect(await stateOf(begun.id)).toBe('FROZEN');
    await expectFrozen(begun.id);
  }
  expect(last).toBeGreaterThan(50);
});

describe('the runner', () => {
  const until = (id: string, wanted: string) =>
    eventually(
      () => stateOf(id),
      (state) => state === wanted,
    );

  test('completes waiting jobs, and several runners complete each job once', async () => {
    const job = await insertJob(stores.database, newFreeze('v1.0.0'), crypto.randomUUID());
    await endLeases();
    const runners = [1, 2, 3].map(() => startFreezeRunner(partsNow(), log));
    await until(job.id, 'FROZEN');
    await Promise.all(runners.map((runner) => runner.stop()));
    await expectFrozen(job.id);
  });

  test('ends a job with a permanent failure as FAILED, with its reason, and the identifier can be used again', async () => {
    const wrong = scanOf(RECORDS.slice(1));
    scan = wrong;
    const job = await insertJob(stores.database, newFreeze('v1.0.0'), crypto.randomUUID());
    await endLeases();
    const runner = startFreezeRunner(partsNow(), log);
    await until(job.id, 'FAILED');
    expect(dataset.versions.get(job.id)).toMatchObject({
      releaseState: ReleaseState.RELEASE_STATE_FAILED,
      failure: expect.stringContaining(job.id),
    });
    expect(await events()).toEqual([]);
    scan = scanOf(RECORDS);
    const again = await insertJob(stores.database, newFreeze('v1.0.0'), crypto.randomUUID());
    await endLeases();
    runner.wake();
    await until(again.id, 'FROZEN');
    await runner.stop();
    await expectFrozen(again.id);
  });

  test('deletes all objects of a failed job, even unrecorded ones', async () => {
    let scans = 0;
    scan = (context) => scanOf(scans++ === 0 ? RECORDS : RECORDS.slice(1))(context);
    const job = await insertJob(stores.database, newFreeze('v1.0.0'), crypto.randomUUID());
    const other = `versions/${crypto.randomUUID()}/x.json`;
    const here = fileURLToPath(import.meta.url);
    await stores.store.put(`versions/${job.id}/unnoted.zip`, here);
    await stores.store.put(other, here);
    await endLeases();
    const runner = startFreezeRunner(partsNow(), log);
    await until(job.id, 'FAILED');
    await runner.stop();
    expect(scans).toBeGreaterThan(1);
    expect(await keysIn(`versions/${job.id}/`)).toEqual([]);
    expect(await keysIn(other)).toEqual([other]);
    expect(await findFreezeFiles(stores.database, job.id)).toEqual([]);
  });

  test('retries while the store is unavailable', async () => {
    let away = 2;
    scan = async function* (context) {
      if (away-- > 0) throw new ServiceError('UNAVAILABLE', 'not now');
      yield* scanOf(RECORDS)(context);
    };
    const job = await insertJob(stores.database, newFreeze('v1.0.0'), crypto.randomUUID());
    await endLeases();
    const runner = startFreezeRunner(partsNow(), log);
    await until(job.id, 'FROZEN');
    await runner.stop();
    await expectFrozen(job.id);
  });

  test('stops during a build and leaves the job to the next runner', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    scan = async function* ({ signal }) {
      yield await Promise.resolve(state(3));
      resolve();
      await sleep(600_000, undefined, { signal }).catch(() => undefined);
      yield chunk();
    };
    const job = await insertJob(stores.database, newFreeze('v1.0.0'), crypto.randomUUID());
    await endLeases();
    const runner = startFreezeRunner(partsNow(), log);
    await begun;
    await runner.stop();
    expect(await stateOf(job.id)).toBe('BUILDING');
    scan = scanOf(RECORDS);
    const next = startFreezeRunner(partsNow(), log);
    await until(job.id, 'FROZEN');
    await next.stop();
  });
});

describe('the start of a freeze', () => {
  const start = (versionIdentifier: string, role: 'ADMIN' | 'MODERATOR' | 'anonymous' = 'ADMIN') => {
    const { handlers } = freezeRpc(partsNow(), () => undefined);
    const caller = role === 'anonymous' ? undefined : { accountId: ACCOUNT, role, credential: 'session' as const };
    // The handler uses only this part of its context.
    const context = { caller } as Parameters<NonNullable<(typeof handlers)['startFreeze']>>[1];
    return handlers['startFreeze']?.({ versionIdentifier }, context) as Promise<unknown>;
  };

  test('responds once the release is reserved, and one of several concurrent calls with one identifier succeeds', async () => {
    const outcomes = await Promise.allSettled([start('v2.0.0'), start('v2.0.0'), start('v2.0.1')]);
    const [won, lost] = [outcomes.filter(({ status }) => status === 'fulfilled'), outcomes.filter(isRejected)];
    expect(won).toHaveLength(2);
    expect(lost.map(({ reason }) => reason as unknown)).toEqual([expect.objectContaining({ code: 'CONFLICT' })]);
    expect(await start('v2.0.2')).toEqual({ id: 3, versionIdentifier: 'v2.0.2', state: 'BUILDING' });
    expect(dataset.versions.size).toBe(3);
  });

  test('leaves no job if it is rejected', async () => {
    await expect(start('refused')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await stores.database.selectFrom('freeze_job').selectAll().execute()).toEqual([]);
  });

  test('fails while dataset-svc is unavailable, and the job continues later', async () => {
    await dataset.leave();
    await expect(start('v2.0.0')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await stores.database.selectFrom('freeze_job').select(['state', 'lease_id']).execute()).toEqual([
      { state: 'BUILDING', lease_id: null },
    ]);
  });

  test.each([
    ['MODERATOR', 'FORBIDDEN'],
    ['anonymous', 'AUTH_REQUIRED'],
  ] as const)('by %p is %p', async (role, code) => {
    await expect(start('v2.0.0', role)).rejects.toMatchObject({ code });
  });
});

function isRejected(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return outcome.status === 'rejected';
}
