import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { FeatureRanges } from '../../src/prepare/unusual-values.ts';
import type { RecordWarning } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { approveRecords } from '../../src/review/review.ts';
import { submit } from '../../src/submit/submit.ts';
import { refreshFeatureRanges } from '../../src/prepare/feature-ranges.ts';
import { recordAt } from '@esd/testing/records';
import { submitRequest, moderator, openTestDatabase, testContext, update, user, reviewBy } from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const other = { ...user, accountId: '0190d2b0-0000-7000-8000-00000000000a' };
const ranges: FeatureRanges = new Map([['voltage', { count: 612, low: 0.5, high: 40 }]]);

async function send(
  doi: string | undefined,
  voltages: number[],
  caller: typeof user | 'anonymous' = user,
  usual = ranges,
  diameters: readonly number[] = [],
) {
  const outcome = await submit(
    { ...testContext(database), ranges: { current: () => usual } },
    {
      ...submitRequest(caller === 'anonymous' ? undefined : caller),
      json: Buffer.from(
        JSON.stringify({
          userMetadata: { name: 'Ada', email: 'ada@example.org', consentTerms: true },
          researchMetadata: { doi },
          experimentData: voltages.map((voltage, at) => ({
            ...recordAt(voltage, 'PCL'),
            ...(diameters[at] && { fiberProperty: { fiberDiameter: diameters[at] } }),
          })),
        }),
      ),
    },
  );
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return {
    ids: outcome.records.map(({ recordId }) => recordId),
    warnings: outcome.records.map((record) => record.warnings),
  };
}

const approve = (ids: number[]) =>
  approveRecords(
    database,
    ids.map((recordId) => ({ recordId, revision: undefined })),
    reviewBy(moderator),
  );

const codes = (warnings: readonly RecordWarning[][]) => warnings.map((some) => some.map(({ code }) => code));

test('an unusual value causes a warning, but is stored', async () => {
  const { ids, warnings } = await send(undefined, [12, 12_000]);
  expect(codes(warnings)).toEqual([[], ['UNUSUAL_VALUE']]);
  expect(warnings[1]).toEqual([
    {
      path: 'processParameter.voltage',
      code: 'UNUSUAL_VALUE',
      message: 'The value 12000 kV is unusual: 99.8 % of the 612 values in the dataset lie between 0.5 and 40 kV.',
    },
  ]);
  const stored = await database
    .selectFrom('record_revision')
    .select('warnings')
    .where('record_id', '=', ids[1] ?? 0)
    .executeTakeFirstOrThrow();
  expect(stored.warnings).toEqual(warnings[1]);
});

test('without ranges, no value is unusual', async () => {
  expect(codes((await send(undefined, [12_000], user, new Map())).warnings)).toEqual([[]]);
});

test('the same values with the same DOI in one submission are likely duplicates', async () => {
  const { warnings } = await send('10.1000/once', [1, 2, 1]);
  expect(codes(warnings)).toEqual([[], [], ['LIKELY_DUPLICATE']]);
  expect(warnings[2]?.[0]?.message).toContain('experimentData[0]');
});

test('equal settings with diameters that differ by more than a factor of 1.5 cause a warning', async () => {
  const { warnings } = await send('10.1000/settings', [10, 10, 10, 11], user, new Map(), [100, 120, 151, 900]);
  const warned = ['SAME_SETTINGS_OTHER_RESULT'];
  expect(codes(warnings)).toEqual([warned, warned, warned, []]);
  expect(warnings[2]).toEqual([
    {
      path: 'fiberProperty.fiberDiameter',
      code: 'SAME_SETTINGS_OTHER_RESULT',
      message:
        'experimentData[0], experimentData[1], experimentData[2] report the same settings and 100 to 151 nm. Something that is not recorded differed, or a value is wrong. Check the values, or describe the difference in `remarks`.',
    },
  ]);
  expect(codes((await send('10.1000/near', [10, 10], user, new Map(), [100, 150])).warnings)).toEqual([[], []]);
  expect(codes((await send(undefined, [10, 10], user, new Map(), [100, 300])).warnings)).toEqual([[], []]);
});

test('the same values without a DOI are not duplicates', async () => {
  expect(codes((await send(undefined, [3, 3])).warnings)).toEqual([[], []]);
});

test('duplicates are found among own records of any status and public records of others', async () => {
  const { ids } = await send('10.1000/own', [5]);
  const [id = 0] = ids;
  const again = await send('https://doi.org/10.1000/OWN', [5, 6]);
  expect(codes(again.warnings)).toEqual([['LIKELY_DUPLICATE'], []]);
  expect(again.warnings[0]?.[0]?.message).toContain(`your record ${id} (PENDING)`);

  expect(codes((await send('10.1000/own', [5], other)).warnings)).toEqual([[]]);
  expect(codes((await send('10.1000/own', [5], 'anonymous')).warnings)).toEqual([[]]);
  await approve([id]);
  for (const caller of [other, 'anonymous'] as const) {
    const { warnings } = await send('10.1000/own', [5], caller);
    expect(codes(warnings)).toEqual([['LIKELY_DUPLICATE']]);
    expect(warnings[0]?.[0]?.message).toContain(`record ${id} of the dataset`);
  }
});

test('an unapproved edit of a public record is not visible to others', async () => {
  const { ids } = await send('10.1000/edited', [7]);
  const [id = 0] = ids;
  await approve([id]);
  const edited = recordAt(8, 'PCL');
  await update(database, id, [{ ...edited, researchMetadata: { doi: '10.1000/edited' } }]);
  expect(codes((await send('10.1000/edited', [7, 8], other)).warnings)).toEqual([['LIKELY_DUPLICATE'], []]);
});

test('a record is not a duplicate of itself', async () => {
  const { ids } = await send('10.1000/self', [9]);
  const data = { ...recordAt(9, 'PCL'), researchMetadata: { doi: '10.1000/self', publicationTitle: 'Title' } };
  expect(await update(database, ids[0] ?? 0, [data])).toMatchObject({ record: { warnings: [], changed: true } });
});

test('ranges that cannot be fetched leave the known ones, without waiting', async () => {
  let answer: 'good' | 'down' = 'down';
  let asked = 0;
  const client = {
    getFeatureRanges: () => {
      asked += 1;
      if (answer === 'down') return Promise.reject(new ServiceError('UNAVAILABLE', 'down'));
      const ranges = [
        { feature: 'voltage', count: 60, low: 1, high: 30, p1: 2, p99: 20 },
        { feature: 'of a newer service', count: 60, low: 1, high: 30, p1: 2, p99: 20 },
      ];
      return Promise.resolve({ state: undefined, ranges });
    },
  };
  const log = pino({ level: 'silent' });
  const away = refreshFeatureRanges(client, log);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([asked, away.current().size]).toEqual([1, 0]);
  await away.stop();
  answer = 'good';
  const good = refreshFeatureRanges(client, log);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([...good.current()]).toEqual([['voltage', expect.objectContaining({ low: 1, high: 30 })]]);
  await good.stop();
});
