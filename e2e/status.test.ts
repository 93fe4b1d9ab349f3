import { afterAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallSubmission } from '@esd/testing/records';
import { z } from 'zod';
import { apiAt } from './support/api.ts';
import { eventually } from '@esd/testing/eventually';
import { whileAway } from './support/while-away.ts';

const part = z.enum(['up', 'partly', 'down']);
const status = z.strictObject({
  status: part,
  checkedAt: z.iso.datetime(),
  parts: z.array(
    z.strictObject({
      name: z.enum(['read', 'download', 'contribute', 'account', 'images']),
      status: part,
      message: z.string().optional(),
    }),
  ),
  dataset: z.strictObject({
    revision: z.int().nullable(),
    records: z.int().nullable(),
    newestVersion: z.string().nullable(),
  }),
});
const MAX_AGE_MS = 5_000;
/** The text of a page without its frame. */
const words = (html: string): string =>
  (/<main[^]*<\/main>/.exec(html)?.[0] ?? '').replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);

/** Reads the state as JSON, and checks what holds in every state. */
async function read() {
  const requestedAt = Date.now();
  const answer = await api.get('/status', { headers: { accept: 'application/json' } });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(answer.headers.get('etag')).toBeNull();
  const state = status.parse(answer.json);
  // The gateway compares the age when the request arrives.
  expect(requestedAt - Date.parse(state.checkedAt)).toBeLessThanOrEqual(MAX_AGE_MS);
  expect(answer.text).not.toMatch(/-svc|gateway|nats|postgres|127\.0\.0\.1|localhost|:\d{4}|"0\.1\.0"/i);
  return state;
}

/** Reads the state until only the expected parts do not work as usual. */
async function until(expected: Partial<Record<z.output<typeof status>['parts'][number]['name'], 'partly' | 'down'>>) {
  const broken = ({ parts }: z.output<typeof status>) =>
    Object.fromEntries(parts.filter((one) => one.status !== 'up').map((one) => [one.name, one.status]));
  const state = await eventually(read, (one) => JSON.stringify(broken(one)) === JSON.stringify(expected));
  expect(broken(state)).toEqual(expected);
  return state;
}

async function statusPage(): Promise<string> {
  const page = await api.get('/status', { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  return words(page.text);
}

test('every part is up, as a page and as JSON', async () => {
  const { status: whole, dataset } = await until({});
  expect(whole).toBe('up');
  expect(dataset.revision).not.toBeNull();
  expect(dataset.records).not.toBeNull();
  for (const accept of ['text/html', '*/*']) {
    const page = await api.get('/status', { headers: { accept } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect([page.headers.get('cache-control'), page.headers.get('vary')]).toEqual(['no-store', 'Accept']);
    expect(words(page.text)).toMatch(/Service status All parts of the service work\. Reading and search ✓ Works/);
  }
  for (const path of ['/api/status', '/status/']) {
    const moved = await api.get(path);
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/status']);
  }
  expect((await api.head('/status')).status).toBe(200);
  expect((await api.get('/', { headers: { accept: 'text/html' } })).text).toContain('href="/status">Service status');
});

test.each([
  ['dataset-svc', 'down', { read: 'down', download: 'down', contribute: 'partly', account: 'partly' }],
  ['identity-svc', 'partly', { contribute: 'partly', account: 'down' }],
  ['submission-svc', 'partly', { contribute: 'down', account: 'partly' }],
  ['export-svc', 'partly', { download: 'down', contribute: 'partly' }],
  ['media-svc', 'partly', { images: 'down' }],
] as const)('without %s, the service is %s', async (service, whole, parts) => {
  await whileAway(stack, 'gone', [service], async () => {
    // A service that depends on the missing one adds its message at a later check.
    const { state, text } = await eventually(
      async () => ({ state: await until(parts), text: await statusPage() }),
      ({ state, text }) => state.parts.every(({ message = '' }) => text.includes(message)),
    );
    expect(state.status).toBe(whole);
    for (const { status: one, message = '' } of state.parts) {
      expect(message === '').toBe(one === 'up');
      expect(text).toContain(message);
    }
    // The messages promise that this still works.
    if (service !== 'submission-svc') expect((await api.post('/data/submit', smallSubmission())).status).toBe(201);
    if (service !== 'dataset-svc') expect((await api.get('/public/dataset?limit=1')).status).toBe(200);
  });
  await until({});
});

test('a service that does not respond is down within seconds, and the checks stay recent', async () => {
  await whileAway(stack, 'silent', ['media-svc'], async () => {
    expect((await until({ images: 'down' })).status).toBe('partly');
  });
  await until({});
});
