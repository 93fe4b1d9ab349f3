import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { approveRecords } from '../../src/review/review.ts';
import { findOwnRecordIds } from '../../src/own-data/own-data.store.ts';
import { getOwnExperiment, getOwnSubmission, listOwnRecords, listOwnSubmissions } from '../../src/own-data/own-data.ts';
import { submit } from '../../src/submit/submit.ts';
import { updateRecord, updateSubmission } from '../../src/update/update.ts';
import { InMemoryImages } from '../in-memory-images.ts';
import { recordAt, recordOf } from '@esd/testing/records';
import {
  admin,
  submitRequest,
  storedRecord,
  moderator,
  openTestDatabase,
  testContext,
  storeRecords,
  update,
  user,
  reviewBy,
  incompleteRecord,
} from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

let accounts = 0;
const newAccount = () => {
  accounts += 1;
  return { ...user, accountId: `0190d2b0-0000-7000-9000-${String(accounts).padStart(12, '0')}` };
};

async function read(parts: AsyncIterable<Buffer>): Promise<{ json: unknown; parts: number; largest: number }> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  const json: unknown = JSON.parse(Buffer.concat(all).toString());
  return { json, parts: all.length, largest: Math.max(...all.map(({ length }) => length)) };
}

const everything = { skip: 0, limit: undefined };
const recordsOf = async (
  accountId: string,
  status?: 'PENDING' | 'APPROVED',
  page: Parameters<typeof listOwnRecords>[3] = everything,
) => (await read(listOwnRecords(database, accountId, status, page))).json;

const approve = (ids: number[]) =>
  approveRecords(
    database,
    ids.map((recordId) => ({ recordId, revision: undefined })),
    reviewBy(moderator),
  );

const media = new InMemoryImages();
const withMedia = () => ({ ...testContext(database), images: media });

async function store(caller: typeof user, body: object): Promise<{ submissionId: number; ids: number[] }> {
  const outcome = await submit(withMedia(), { ...submitRequest(caller), json: Buffer.from(JSON.stringify(body)) });
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  return { submissionId: outcome.submissionId, ids: outcome.records.map(({ recordId }) => recordId) };
}

describe('lists', () => {
  test('contain only the caller’s records, in their newest revision', async () => {
    const owner = newAccount();
    expect(await recordsOf(owner.accountId)).toEqual([]);
    const [first = 0, second = 0] = await storeRecords(database, 2, owner);
    await storeRecords(database, 1, newAccount());
    await approve([first]);
    await update(database, first, [recordAt(40, 'PVA')], { caller: owner });
    expect(await recordsOf(owner.accountId)).toEqual([
      {
        recordId: first,
        experimentId: first,
        status: 'PENDING',
        missingFields: [],
        revision: 2,
        publishedRevision: 1,
        ...recordAt(40, 'PVA'),
      },
      { recordId: second, experimentId: second, status: 'PENDING', missingFields: [], revision: 1, ...recordOf('PCL') },
    ]);
    await approve([second]);
    expect(await recordsOf(owner.accountId, 'APPROVED')).toMatchObject([{ recordId: second, publishedRevision: 1 }]);
    for (const role of [admin, moderator]) {
      expect(JSON.stringify(await recordsOf(role.accountId))).not.toContain(`"recordId":${first},`);
    }
  });

  test('are paged by skip and limit', async () => {
    const owner = newAccount();
    const ids = [...(await storeRecords(database, 300, owner)), ...(await storeRecords(database, 30, owner))];
    const seen = async (page: { skip: number; limit: number | undefined }) =>
      ((await recordsOf(owner.accountId, undefined, page)) as { recordId: number }[]).map(({ recordId }) => recordId);
    expect(await seen(everything)).toEqual(ids);
    expect(await seen({ skip: 0, limit: 50 })).toEqual(ids.slice(0, 50));
    expect(await seen({ skip: 49, limit: 120 })).toEqual(ids.slice(49, 169));
    expect(await seen({ skip: 320, limit: 100 })).toEqual(ids.slice(320));
    expect(await seen({ skip: 330, limit: 1 })).toEqual([]);
    const idsOf = (page: { skip: number; limit: number | undefined }) =>
      findOwnRecordIds(database, owner.accountId, undefined, page);
    expect(await idsOf(everything)).toEqual(ids);
    expect(await idsOf({ skip: 2, limit: 3 })).toEqual(ids.slice(2, 5));
    expect(await idsOf({ skip: 400, limit: undefined })).toEqual([]);
  });

  test('are sent in parts of a few hundred kilobytes', async () => {
    const owner = newAccount();
    const long = { needleProperty: { needleDefinition: { note: 'x'.repeat(1_900) } } };
    await store(owner, { experimentData: Array.from({ length: 500 }, () => ({ ...recordOf('PCL'), ...long })) });
    const { parts, largest, json } = await read(listOwnRecords(database, owner.accountId, undefined, everything));
    expect(json).toHaveLength(500);
    expect(parts).toBeGreaterThan(3);
    expect(largest).toBeLessThan(300_000);
  });

  test('of submissions contain the aggregate status and that of each record', async () => {
    const owner = newAccount();
    const pending = await store(owner, { experimentData: [recordOf('PCL'), recordOf('PCL')] });
    const mixed = await store({ ...owner, credential: 'pat' }, { experimentData: [recordOf('PCL'), incompleteRecord] });
    await approve(mixed.ids.slice(0, 1));
    const { json } = await read(listOwnSubmissions(database, owner.accountId, everything));
    const nothingUnread = { unread: 0, needsAnswer: false };
    const rest = { sampleId: null, ...nothingUnread };
    expect(json).toEqual([
      {
        submissionId: pending.submissionId,
        status: 'PENDING',
        submittedAt: expect.stringMatching(/Z$/),
        recordCount: 2,
        counts: { PENDING: 2 },
        ...nothingUnread,
        records: pending.ids.map((recordId) => ({ recordId, status: 'PENDING', missingFields: [], ...rest })),
      },
      expect.objectContaining({
        submissionId: mixed.submissionId,
        status: 'MIXED',
        counts: { APPROVED: 1, NEEDS_UPDATE: 1 },
        records: [
          { recordId: mixed.ids[0], status: 'APPROVED', missingFields: [], ...rest },
          {
            recordId: mixed.ids[1],
            status: 'NEEDS_UPDATE',
            missingFields: ['polymerProperty.polymerComponents[].polymerName'],
            ...rest,
          },
        ],
      }),
    ]);
    for (let i = 0; i < 60; i += 1) await storeRecords(database, 1, owner);
    const whole = (await read(listOwnSubmissions(database, owner.accountId, everything))).json as object[];
    expect(whole).toHaveLength(62);
    expect(whole[1]).toMatchObject({ submissionId: mixed.submissionId });
    const page = await read(listOwnSubmissions(database, owner.accountId, { skip: 1, limit: 50 }));
    expect(page.json).toEqual(whole.slice(1, 51));
    expect((await read(listOwnSubmissions(database, newAccount().accountId, everything))).json).toEqual([]);
  });
});

describe('a submission', () => {
  const userMetadata = { name: 'Ada Example', lab: 'Fiber Lab' };
  const body = {
    userMetadata,
    researchMetadata: { doi: '10.1000/paper', publicationTitle: 'One' },
    experimentData: [
      recordOf('PCL'),
      { ...recordOf('PVA'), researchMetadata: { publicationTitle: 'Two', customDevice: true } },
      { ...recordAt(3, 'PVA'), researchMetadata: { doi: '10.1000/other' } },
    ],
  };

  test('contains common metadata once, and changes nothing when it is sent back', async () => {
    const owner = newAccount();
    const { submissionId, ids } = await store(owner, body);
    const { json } = await read((await getOwnSubmission(database, owner.accountId, submissionId)).chunks);
    expect(json).toEqual({
      submissionId,
      status: 'PENDING',
      submittedAt: expect.stringMatching(/Z$/),
      userMetadata,
      researchMetadata: {},
      imageOnly: false,
      experimentData: [
        { doi: '10.1000/paper', publicationTitle: 'One' },
        { doi: '10.1000/paper', publicationTitle: 'Two', customDevice: true },
        { doi: '10.1000/other', publicationTitle: 'One' },
      ].map((researchMetadata, index) => ({
        recordId: ids[index],
        experimentId: ids[index],
        status: 'PENDING',
        missingFields: [],
        revision: 1,
        ...body.experimentData[index],
        researchMetadata,
      })),
    });
    const sent = await updateSubmission(testContext(database), {
      submissionId,
      entityTags: [],
      json: Buffer.from(JSON.stringify(json)),
      ...submitRequest(owner),
      caller: owner,
    });
    expect(sent).toMatchObject({ records: ids.map((recordId) => ({ recordId, changed: false })) });
  });

  test('applies an edit of common metadata to every record', async () => {
    const owner = newAccount();
    const { submissionId, ids } = await store(owner, {
      ...body,
      experimentData: [recordOf('PCL'), recordAt(2, 'PVA')],
    });
    const { json } = await read((await getOwnSubmission(database, owner.accountId, submissionId)).chunks);
    expect(json).toMatchObject({ researchMetadata: { doi: '10.1000/paper', publicationTitle: 'One' } });
    const edited = { ...(json as object), researchMetadata: { doi: '10.1000/corrected' } };
    await updateSubmission(testContext(database), {
      submissionId,
      entityTags: [],
      json: Buffer.from(JSON.stringify(edited)),
      ...submitRequest(owner),
      caller: owner,
    });
    for (const id of ids) {
      const newest = (await storedRecord(database, id)).revisions.at(-1);
      expect(newest?.data.researchMetadata).toEqual({ doi: '10.1000/corrected' });
    }
  });

  test('can be read as a single record with its entity tag', async () => {
    const owner = newAccount();
    const { submissionId, ids } = await store(owner, body);
    const [, recordId = 0] = ids;
    const { json, entityTag } = await getOwnExperiment(database, owner.accountId, recordId);
    expect(entityTag).toBe(`${recordId}-1`);
    const experiment: unknown = JSON.parse(json.toString());
    expect(experiment).toEqual({
      submissionId,
      submittedAt: expect.any(String),
      userMetadata,
      researchMetadata: { doi: '10.1000/paper', publicationTitle: 'Two', customDevice: true },
      imageOnly: false,
      experimentData: [
        { recordId, experimentId: recordId, status: 'PENDING', missingFields: [], revision: 1, ...recordOf('PVA') },
      ],
    });
    const call = { ...submitRequest(owner), caller: owner, recordId, entityTags: [entityTag] };
    expect(await updateRecord(testContext(database), { ...call, json })).toMatchObject({
      record: { changed: false },
    });
  });

  test('can be sent back unchanged even without data, with images only, or as a draft', async () => {
    const owner = { ...newAccount(), credential: 'pat' as const };
    const image = { imageId: media.upload() };
    const stored = [
      await store(owner, { experimentData: [{}] }),
      await store(owner, { imageOnly: true, experimentData: [{ fiberImages: [image] }] }),
      await store(owner, { experimentData: [{ polymerProperty: { polymerComponents: [{ weightRatio: 5 }] } }] }),
    ];
    for (const { ids } of stored) {
      const [recordId = 0] = ids;
      const { json } = await getOwnExperiment(database, owner.accountId, recordId);
      const outcome = await updateRecord(withMedia(), {
        ...submitRequest(owner),
        caller: owner,
        recordId,
        entityTags: [],
        json,
      });
      expect(outcome).toMatchObject({ record: { changed: false } });
    }
  });

  test('of another account is not found', async () => {
    const owner = newAccount();
    const { submissionId, ids } = await store(owner, body);
    for (const caller of [newAccount(), admin]) {
      await expect(getOwnExperiment(database, caller.accountId, ids[0] ?? 0)).rejects.toMatchObject({
        code: 'RECORD_NOT_FOUND',
      });
      await expect(getOwnSubmission(database, caller.accountId, submissionId)).rejects.toMatchObject({
        code: 'SUBMISSION_NOT_FOUND',
      });
    }
    await expect(getOwnExperiment(database, owner.accountId, 999_999)).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    });
  });

  test('is consistent although a record changes while it is read', async () => {
    const owner = newAccount();
    const { submissionId, ids } = await store(owner, {
      researchMetadata: { doi: '10.1000/paper' },
      experimentData: Array.from({ length: 120 }, (_, i) => ({
        ...recordAt(i + 1, 'PCL'),
        needleProperty: { needleDefinition: { note: 'x'.repeat(1_900), more: 'y'.repeat(1_900) } },
      })),
    });
    const { chunks } = await getOwnSubmission(database, owner.accountId, submissionId);
    const first = await chunks.next();
    await update(database, ids.at(-1) ?? 0, [recordAt(999, 'PVA')], { caller: owner });
    const rest: Buffer[] = [];
    for await (const chunk of chunks) rest.push(chunk);
    const text = Buffer.concat([first.value ?? Buffer.of(), ...rest]).toString();
    expect(rest.length).toBeGreaterThan(0);
    expect(JSON.parse(text)).toMatchObject({ status: 'PENDING', researchMetadata: { doi: '10.1000/paper' } });
    expect(text.includes('"voltage":999')).toBe(false);
  });
});

test('a list of 20,000 records is read in linear time', async () => {
  const owner = newAccount();
  const { submissionId } = await store(owner, { experimentData: [recordOf('PCL')] });
  await sql`
    with made as (
      insert into record (id, submission_id, owner_account_id, status, revision)
      select 1000000 + n, ${submissionId}, ${owner.accountId}, 'PENDING', 1 from generate_series(1, 20000) as n
      returning id
    )
    insert into record_revision (record_id, revision, data, missing_fields, warnings)
    select id, 1, ${JSON.stringify(recordOf('PCL'))}::json, '{}', '[]' from made`.execute(database);
  const started = performance.now();
  const { json } = await read(listOwnRecords(database, owner.accountId, undefined, everything));
  const seconds = (performance.now() - started) / 1000;
  expect(json).toHaveLength(20_001);
  // Spans several statements and starts in the middle of one.
  const page = await read(listOwnRecords(database, owner.accountId, undefined, { skip: 5, limit: 2_500 }));
  expect(page.json).toEqual((json as unknown[]).slice(5, 2_505));
  process.stdout.write(`20,001 records listed in ${seconds.toFixed(2)} s\n`);
  // Quadratic work would take minutes.
  expect(seconds).toBeLessThan(60);
});
