import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { newAdmin } from './support/admin.ts';
import { type Answer, apiAt } from './support/api.ts';
import { approveRecords, submitRecords } from './support/dataset.ts';
import { smallRecord, anonymousSubmitter } from '@esd/testing/records';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);
let admin: string;
beforeAll(async () => {
  admin = (await newAdmin(stack, api)).token;
});

const contributors = z.array(
  z.strictObject({
    name: z.string(),
    affiliation: z.string().optional(),
    orcid: z.string().optional(),
    publishedRecords: z.int(),
  }),
);

async function contribute(userMetadata: object, { records = 1, approve = true, bearer = '' } = {}): Promise<void> {
  const body = {
    userMetadata: { ...anonymousSubmitter, ...userMetadata },
    experimentData: Array.from({ length: records }, () => smallRecord),
  };
  const recordIds = await submitRecords(api, body, bearer === '' ? undefined : bearer);
  if (!approve) return;
  await approveRecords(api, recordIds, admin);
}

test('GET /contributors/list lists contributors who chose to be named, without personal data', async () => {
  const empty = await api.get('/contributors/list');
  // Other tests have contributors too.
  const others = contributors.parse(empty.json);
  const added = (answer: Answer) =>
    contributors.parse(answer.json).filter(({ name }) => !others.some((other) => other.name === name));

  const ada = { name: 'Ada Example', affiliation: 'University of Example', orcid: '0000-0002-1825-0097' };
  await contribute({ ...ada, lab: 'Secret Lab', country: 'Norway', role: 'PI', showPublicly: true }, { records: 2 });
  await contribute({ name: 'Silent Example' });
  await contribute({ name: 'Rejected Example', showPublicly: true }, { approve: false });
  await contribute({ name: 'Admin Example', showPublicly: true }, { bearer: admin, records: 3 });

  for (const base of ['', '/api']) {
    // The list is public: credentials are ignored.
    const answer = await api.get(`${base}/contributors/list`, { bearer: 'nonsense' });
    expect(added(answer)).toEqual([
      { name: 'Admin Example', publishedRecords: 3 },
      { ...ada, publishedRecords: 2 },
    ]);
    expect(JSON.stringify(added(answer))).not.toMatch(/@|Secret|Norway|PI\b|Silent|Rejected/);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const tag = answer.headers.get('etag') ?? '';
    const again = await api.get(`${base}/contributors/list`, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(empty.headers.get('etag')).not.toBe(tag);
  }

  // The same contributors are on the page.
  const page = await request(`${stack.url}/contributors`, { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('<a href="https://orcid.org/0000-0002-1825-0097">0000-0002-1825-0097</a>');
  expect(page.text).toMatch(/Admin Example[^]*Ada Example<\/th><td>University of Example</);
  expect(page.text).not.toMatch(/Secret|Norway|Silent|Rejected/);
  const asJson = await request(`${stack.url}/contributors`, { headers: { accept: 'application/json' } });
  expect(asJson.json).toEqual((await api.get('/contributors/list')).json);

  await contribute({ name: 'Admin Example', showPublicly: false }, { bearer: admin, approve: false });
  const later = added(await api.get('/contributors/list'));
  expect(later.map(({ name }) => name)).toEqual(['Ada Example']);
});
