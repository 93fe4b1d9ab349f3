import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ListName } from '@esd/record/reference/reference';
import type { Kysely } from 'kysely';
import { countUse } from '../../src/reference/count-use.ts';
import type { Tables } from '../../src/tables.ts';
import { openTestDatabase, storeRecords } from '../builders.ts';

let database: Kysely<Tables>;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
  const ids = await storeRecords(database, 3);
  const data = {
    polymerProperty: { polymerComponents: [{ polymerName: 'A "quoted" one' }, { polymerName: 'PVA' }] },
    solventProperty: { solventComponents: [{ solventName: 'PVA' }] },
    needleProperty: { needleDefinition: { inner: { size: 1, unit: 'G' }, unitless: 'mm', note: 'kV' } },
    processParameter: { voltage: 1, voltageUnit: 'kV', instability: [{ category: 'Jet', label: 'Whipping' }] },
    fiberProperty: { fiberMorphology: [{ category: 'Structure', label: 'Porous' }] },
  };
  await database
    .updateTable('record_revision')
    .set({ data: JSON.stringify(data) })
    .where('record_id', 'in', ids.slice(0, 2))
    .execute();
  // The newest revision of the last record has a different unit and polymer than its first one.
  const [, , edited = 0] = ids;
  const newest = { processParameter: { voltage: 1, voltageUnit: 'V' } };
  await database.updateTable('record').set({ revision: 2 }).where('id', '=', edited).execute();
  await database
    .insertInto('record_revision')
    .values({
      record_id: edited,
      revision: 2,
      data: JSON.stringify(newest),
      missing_fields: [],
      warnings: '[]',
      author_account_id: null,
      content_hash: null,
      duplicate_hash: null,
    })
    .execute();
});
afterAll(() => close());

test.each<[ListName, string[], number]>([
  ['polymers', ['PVA'], 2],
  ['polymers', ['PCL'], 0],
  ['polymers', ['A "quoted" one', 'PVA'], 2],
  ['polymers', ['pva', 'PV'], 0],
  ['solvents', ['PVA'], 2],
  ['solvents', ['A "quoted" one'], 0],
  ['units', ['kV'], 2],
  ['units', ['G'], 2],
  ['units', ['V', 'kV'], 3],
  ['units', ['k.', 'KV', 'mm'], 0],
  ['morphologies', ['Porous'], 2],
  ['morphologies', ['Whipping', 'Structure'], 0],
  ['instabilities', ['Whipping'], 2],
])('of the %s, %j occur in %d records', async (list, names, records) => {
  expect(await countUse(database, list, names)).toBe(records);
});
