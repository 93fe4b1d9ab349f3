import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Kysely } from 'kysely';
import { pino } from 'pino';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { openDatabase } from '@esd/service/database/postgres';
import { createDatabase } from '@esd/testing/servers';
import { migrations } from '../../migrations/index.ts';
import { type AppendApproved, logAppender } from '../../src/publish/append-approved.ts';
import { openReadIndex, type ReadIndex } from '../../src/read-index/read-index.ts';
import { seedLists } from '../../src/reference/seed-lists.ts';
import type { Tables } from '../../src/tables.ts';

const log = pino({ level: 'silent' });
let database: Kysely<Tables>;
let drop: () => Promise<void>;
let append: AppendApproved;
let index: ReadIndex;

beforeAll(async () => {
  const created = await createDatabase('ranges', migrations);
  drop = created.drop;
  database = openDatabase<Tables>(created.url, 10, log);
  await seedLists(database);
  append = logAppender(database);
  index = openReadIndex({ database, databaseUrl: created.url, log });
});
afterAll(async () => {
  await index.stop();
  await database.destroy();
  await drop();
});

const publish = async (records: [recordId: number, recordRevision: number, data: ExperimentData][]): Promise<void> => {
  const revision = await append(
    records.map(([recordId, recordRevision, data]) => ({
      recordId,
      recordRevision,
      body: JSON.stringify({ recordId, ...data }),
      data,
      approvedAt: new Date(),
    })),
  );
  while ((await index.state().catch(() => undefined))?.revision !== revision) await sleep(50);
};

const voltage = (value: number, unit = 'kV'): ExperimentData => ({
  processParameter: { voltage: value, voltageUnit: unit },
});

test('only features with values have a range', async () => {
  await publish([[1, 1, voltage(500)]]);
  const { state, ranges } = await index.featureRanges();
  expect([state.recordCount, ranges.map(({ feature }) => feature)]).toEqual([1, ['voltage']]);
});

test('ranges are percentiles of the public values, in the unit of the filter', async () => {
  // 1 to 1,001 kV, some of them in volts. The first record is edited.
  const rest = Array.from({ length: 1_000 }, (_, i): [number, number, ExperimentData] => [
    i + 2,
    1,
    i % 10 === 0 ? voltage((i + 2) * 1000, 'V') : voltage(i + 2),
  ]);
  await publish([[1, 2, { ...voltage(1), ambientParameter: { temperature: 25, temperatureUnit: '°C' } }], ...rest]);
  const { ranges } = await index.featureRanges();
  expect(ranges).toEqual([
    {
      feature: 'voltage',
      count: 1_001,
      low: expect.closeTo(2, 6),
      high: expect.closeTo(1_000, 6),
      p1: expect.closeTo(11, 6),
      p99: expect.closeTo(991, 6),
    },
    { feature: 'temp', count: 1, low: 25, high: 25, p1: 25, p99: 25 },
  ]);
});

test('ranges are those of the newest state, computed once per state', async () => {
  const before = await index.featureRanges();
  expect(await index.featureRanges()).toBe(before);
  await publish(Array.from({ length: 20 }, (_, i) => [3_000 + i, 1, voltage(9_999)]));
  const { state, ranges } = await index.featureRanges();
  expect([state.recordCount, ranges[0]?.count, ranges[0]?.high]).toEqual([1_021, 1_021, 9_999]);
});
