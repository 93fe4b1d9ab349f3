import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import type { TestStack } from '@esd/testing/stack';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { submitRecords, untilPublic } from './support/dataset.ts';
import { query } from './support/database.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { linkTargets } from './support/link-header.ts';
import { page, records } from './support/shapes.ts';
import { smallRecord, anonymousSubmitter } from '@esd/testing/records';
import { newAddress } from './support/new-address.ts';

const snapshot = z.strictObject({
  id: z.int().min(1),
  name: z.string(),
  description: z.string().optional(),
  filterConfig: z.record(z.string(), z.unknown()),
  recordCount: z.int(),
  createdAt: z.iso.datetime(),
});
const withToken = z.looseObject({ id: z.int(), token: z.string() });

/** A filter that matches only the records of these tests. */
const OWN = { voltageMin: 1_000 };

let stack: TestStack;
let api: Api;
let admin: string;
let who: Credentials;
let user: string;
beforeAll(async () => {
  stack = await leaseStack('moderated');
  api = apiAt(stack.url);
  const first = await newAdmin(stack, api);
  admin = first.token;
  ({ who } = await addAccount(stack, first.who, newAddress('reader')));
  user = await login(api, who);
  await publish([1_010, 1_020, 1_030]);
});
afterAll(() => stack.stop());

async function publish(voltages: number[]): Promise<void> {
  const experimentData = voltages.map((voltage) => ({
    ...smallRecord,
    processParameter: { voltage, voltageUnit: 'kV' },
  }));
  const recordIds = await submitRecords(api, { userMetadata: anonymousSubmitter, experimentData });
  const answer = await api.post('/moderation/approve', { recordIds }, { bearer: admin });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  await untilPublic(api, recordIds);
}

async function make(bearer: string, name: string, filterConfig: object): Promise<z.output<typeof snapshot>> {
  const answer = await api.post('/versions', { name, filterConfig, more: 'of other clients' }, { bearer });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return snapshot.parse(answer.json);
}

const readPage = async (path: string, bearer: string) => page.parse((await api.get(path, { bearer })).json);

test('a snapshot returns its original records and files after later publications', async () => {
  const made = await make(user, 'Chapter 3', { voltageMin: 1_015 });
  expect(made).toMatchObject({ name: 'Chapter 3', filterConfig: { voltageMin: 1_015 }, recordCount: 2 });
  const before = await readPage(`/versions/${made.id}/records`, user);
  expect(before).toMatchObject({ total: 2, skip: 0, limit: 100, version: `snapshot-${made.id}` });
  await publish([1_040, 1_050]);
  expect(await readPage(`/versions/${made.id}/records`, user)).toEqual(before);
  expect((await api.get(`/versions/${made.id}`, { bearer: user })).json).toEqual(made);
  const later = await make(user, 'Later', OWN);
  expect(later.recordCount).toBe(5);
  expect((await api.get('/versions', { bearer: user })).json).toEqual([later, made]);

  const exported = await api.get(`/versions/${made.id}/export?format=json`, { bearer: user });
  expect(records.parse(exported.json)).toEqual(before.data);
  expect(exported.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.json"$/);
  expect(exported.headers.get('cache-control')).toContain('private');
  const csv = await api.get(`/versions/${made.id}/export?format=csv`, { bearer: user });
  expect(csv.text.trim().split('\n')).toHaveLength(3);
  const xlsx = await api.get(`/versions/${made.id}/export`, { bearer: user });
  expect([xlsx.status, xlsx.text.slice(0, 2)]).toEqual([200, 'PK']);
});

test('a snapshot whose stored filter the parser now rejects can still be read and exported', async () => {
  const made = await make(user, 'Former', OWN);
  const { data: before } = await readPage(`/versions/${made.id}/records`, user);
  // As if a later software release no longer knew the key. A new process has cached nothing.
  const former = JSON.stringify({ formerKey: 1 });
  const database = stack.databaseUrl('esd_dataset');
  await query(database, 'update snapshot set filter = $1 where id = $2', [former, made.id]);
  await stack.restart('gateway');
  const path = `/versions/${made.id}`;
  expect((await readPage(`${path}/records`, user)).data).toEqual(before);
  for (const format of ['json', 'csv', 'xlsx']) {
    const file = await api.get(`${path}/export?format=${format}`, { bearer: user });
    expect([format, file.status]).toEqual([format, 200]);
    if (format === 'json') expect(records.parse(file.json)).toEqual(before);
  }
});

test('its pages lead to each other', async () => {
  const { id } = await make(user, 'pages', { voltageMin: 1_015 });
  const path = `${api.url}/versions/${id}/records?limit=1`;
  const first = await apiAt('').get(path, { bearer: user });
  const next = linkTargets(first.headers.get('link')).get('next') ?? '';
  const second = await apiAt('').get(next, { bearer: user });
  expect(page.parse(second.json)).toMatchObject({ skip: 1, limit: 1 });
  expect(second.headers.get('cache-control')).toBe('private, no-cache');
  const headers = { 'if-none-match': second.headers.get('etag') ?? '' };
  expect((await apiAt('').get(next, { bearer: user, headers })).status).toBe(304);
});

describe('another account', () => {
  test('cannot find it, and neither can an administrator', async () => {
    const { id } = await make(user, 'mine', {});
    for (const bearer of [admin]) {
      expect((await api.get('/versions', { bearer })).json).toEqual([]);
      for (const path of [`/versions/${id}`, `/versions/${id}/records`, `/versions/${id}/export?format=json`]) {
        expectError(await api.get(path, { bearer }), 404, 'SNAPSHOT_NOT_FOUND');
      }
      expectError(await api.delete(`/versions/${id}`, { bearer }), 404, 'SNAPSHOT_NOT_FOUND');
    }
    expect((await api.get(`/versions/${id}`, { bearer: user })).status).toBe(200);
  });
});

test('it is deleted once', async () => {
  const { id } = await make(user, 'to go', {});
  expect((await api.delete(`/versions/${id}`, { bearer: user })).json).toMatchObject({ success: true });
  expectError(await api.delete(`/versions/${id}`, { bearer: user }), 404, 'SNAPSHOT_NOT_FOUND');
  expectError(await api.get(`/versions/${id}/records`, { bearer: user }), 404, 'SNAPSHOT_NOT_FOUND');
});

test.each<[string, object, string]>([
  ['no name', { filterConfig: {} }, 'VALIDATION_FAILED'],
  ['an empty name', { name: ' ', filterConfig: {} }, 'INVALID_REQUEST'],
  ['no filter', { name: 'x' }, 'VALIDATION_FAILED'],
  ['a filter that is not an object', { name: 'x', filterConfig: [] }, 'VALIDATION_FAILED'],
  ['an unknown key', { name: 'x', filterConfig: { voltagMin: 1 } }, 'INVALID_FILTER'],
  ['null in a filter', { name: 'x', filterConfig: { voltageMin: null } }, 'INVALID_FILTER'],
])('%s is rejected', async (_, body, code) => {
  expectError(await api.post('/versions', body, { bearer: user }), 400, code);
});

test('a personal access token is accepted', async () => {
  const { token } = withToken.parse((await api.post('/auth/tokens', { name: 'script' }, { bearer: user })).json);
  const { id } = await make(token, 'of a script', {});
  expect((await api.get(`/versions/${id}`, { bearer: user })).status).toBe(200);
});

test('deleting an account deletes its snapshots', async () => {
  const { id } = await make(user, 'last', {});
  const storedRows = () => query(stack.databaseUrl('esd_dataset'), 'select id from snapshot where id = $1', [id]);
  expect(await storedRows()).toHaveLength(1);
  expect((await api.delete('/auth/profile', { bearer: user })).status).toBe(200);
  await eventually(storedRows, (rows) => rows.length === 0);
});
