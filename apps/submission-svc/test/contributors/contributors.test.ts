import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { recordOf, anonymousSubmitter } from '@esd/testing/records';
import { type PublicContributor, findContributors } from '../../src/contributors/contributors.store.ts';
import { approveRecords } from '../../src/review/review.ts';
import { submit } from '../../src/submit/submit.ts';
import { submitRequest, admin, openTestDatabase, testContext, user, reviewBy } from '../builders.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(async () => {
  await sql`truncate record, record_revision, submission, submitter, audit, outbox cascade`.execute(database);
});

const ada = { ...anonymousSubmitter, affiliation: 'University of Example' };
const ORCID = '0000-0002-1825-0097';

interface Contribution {
  by?: Caller | undefined;
  records?: number;
  approve?: boolean;
}

async function contribute(userMetadata: object, { by, records = 1, approve = true }: Contribution = {}): Promise<void> {
  const body = JSON.stringify({ userMetadata, experimentData: Array.from({ length: records }, () => recordOf('PCL')) });
  const outcome = await submit(testContext(database), { json: Buffer.from(body), ...submitRequest(by), caller: by });
  if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
  if (!approve) return;
  const toReview = outcome.records.map(({ recordId }) => ({ recordId, revision: undefined }));
  await approveRecords(database, toReview, reviewBy(admin));
}

const shown = async (): Promise<PublicContributor[]> => findContributors(database);

test('lists only contributors who agreed in a submission with a published record', async () => {
  await contribute({ ...ada, showPublicly: true, orcid: ORCID }, { records: 3 });
  await contribute({ ...ada, name: 'Hidden by default' });
  await contribute({ ...ada, name: 'Hidden by choice', showPublicly: false });
  await contribute({ ...ada, name: 'Not published', showPublicly: true }, { approve: false });
  expect(await shown()).toEqual([
    { name: 'Ada Example', affiliation: 'University of Example', orcid: ORCID, publishedRecords: 3 },
  ]);
});

test('without an account, a name with an ORCID iD is one contributor, regardless of case and spaces', async () => {
  await contribute({ ...ada, showPublicly: true }, { records: 2 });
  await contribute({ ...ada, name: 'ADA  example', affiliation: 'Later Lab', showPublicly: true });
  await contribute({ ...ada, showPublicly: true, orcid: ORCID });
  expect(await shown()).toEqual([
    { name: 'ADA  example', affiliation: 'Later Lab', orcid: null, publishedRecords: 3 },
    { name: 'Ada Example', affiliation: 'University of Example', orcid: ORCID, publishedRecords: 1 },
  ]);
});

test('an account is one contributor under its newest name, and only submissions that show it count', async () => {
  await contribute({ name: 'Old Name', showPublicly: true }, { by: user, records: 2 });
  await contribute({ name: 'New Name', showPublicly: true }, { by: user });
  await contribute({ name: 'Of a silent submission' }, { by: user, records: 5 });
  await contribute({ name: 'Not reviewed', showPublicly: true }, { by: user, approve: false });
  // The same name without the account is another contributor.
  await contribute({ ...ada, name: 'New Name', affiliation: 'Elsewhere', showPublicly: true });
  expect(await shown()).toEqual([
    { name: 'New Name', affiliation: null, orcid: null, publishedRecords: 3 },
    { name: 'New Name', affiliation: 'Elsewhere', orcid: null, publishedRecords: 1 },
  ]);
});

test('a contributor without a name is not listed', async () => {
  await contribute({ showPublicly: true, orcid: ORCID }, { by: user });
  expect(await shown()).toEqual([]);
  await contribute({ name: 'Ada', showPublicly: true }, { by: user });
  expect(await shown()).toMatchObject([{ name: 'Ada', publishedRecords: 2 }]);
});

test('the newest choice decides: a later false hides a contributor, a later true lists the contributor again', async () => {
  await contribute({ name: 'Ada', showPublicly: true }, { by: user });
  await contribute({ name: 'Ada', showPublicly: false }, { by: user, records: 4 });
  expect(await shown()).toEqual([]);
  await contribute({ name: 'Ada' }, { by: user });
  expect(await shown()).toEqual([]);
  await contribute({ name: 'Ada', showPublicly: true }, { by: user, approve: false });
  // Hidden submissions do not count.
  expect(await shown()).toMatchObject([{ publishedRecords: 1 }]);
  await contribute({ name: 'Ada', showPublicly: false }, { by: user, approve: false });
  expect(await shown()).toEqual([]);
});

test('an unreviewed submission does not hide a contributor without an account', async () => {
  await contribute({ ...ada, showPublicly: true });
  await contribute({ ...ada, showPublicly: false }, { approve: false });
  expect(await shown()).toHaveLength(1);
  await contribute({ ...ada, showPublicly: false });
  expect(await shown()).toEqual([]);
});

test('a public record with a pending edit still counts', async () => {
  await contribute({ name: 'Ada', showPublicly: true }, { by: user });
  await database.updateTable('record').set({ status: 'PENDING' }).execute();
  expect(await shown()).toMatchObject([{ publishedRecords: 1 }]);
});

test('an erased submitter is not listed', async () => {
  await contribute({ name: 'Ada', showPublicly: true }, { by: user });
  await database.deleteFrom('submitter').execute();
  expect(await shown()).toEqual([]);
});
