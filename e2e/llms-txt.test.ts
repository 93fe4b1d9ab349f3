import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { apiAt } from './support/api.ts';
import { readFeed } from './support/atom.ts';
import { expectError } from './support/errors.ts';

const demo = apiAt((await sharedStack()).url);

const MAX_BYTES = 8_192;

/** Reads the file, checks its form, and follows every URL in it. */
async function readAndFollow(url: string): Promise<string> {
  const { status, headers, text } = await apiAt(url).get('/llms.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
  const [title = '', , paragraph = '', ...rest] = text.split('\n');
  expect(title).toMatch(/^# \S/);
  expect(paragraph).toMatch(/^> \S/);
  const sections = new Map(
    rest
      .join('\n')
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [name = '', ...lines] = section.split('\n').filter((line) => line !== '');
        return [name, lines] as const;
      }),
  );
  expect([...sections.keys()]).toEqual(['Data', 'API', 'Cite', 'Caveats']);
  for (const name of ['Data', 'API', 'Cite']) {
    for (const line of sections.get(name) ?? []) expect(line).toMatch(/^- \[[^\]]+\]\(https?:\/\/[^\s)]+\): .+\.$/);
  }
  for (const line of sections.get('Caveats') ?? []) expect(line).toMatch(/^- [A-Z0-9].+\.$/);
  const urls = text.match(/https?:\/\/[^\s)]+/g) ?? [];
  expect(urls.length).toBeGreaterThan(10);
  for (const one of urls) {
    expect(one.startsWith(url)).toBe(true);
    const answer = await request(one);
    expect([one, answer.status]).toEqual([one, 200]);
  }
  return text;
}

describe('/llms.txt', () => {
  test('states the size, the license and the newest release, and each of its URLs responds with 200', async () => {
    const text = await readAndFollow(demo.url);
    expect(text).toContain('> 809 electrospinning experiments from 57 papers, under the license CC-BY-4.0.');
    expect(text).toContain('The newest release is v1.0.0 with 809 experiments.');
    expect(text).toContain('- 161 of 809 records repeat another record of the same paper');
    expect(text).toContain('- 32 records report that fiber formation was not stable, and 32 of them report no');
  });

  test('revalidates, and exists only at the root', async () => {
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const { headers, text } = await demo.get('/llms.txt', plain);
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    const again = await demo.get('/llms.txt', { headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await demo.head('/llms.txt', plain);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))]);
    const moved = await demo.get('/api/llms.txt');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/llms.txt']);
    expectError(await demo.get('/llms.txt?x=1'), 400, 'INVALID_PARAMETER', /"x"/);
    expectError(await demo.post('/llms.txt', {}), 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('an empty dataset', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await leaseStack('fresh');
  });
  afterAll(() => stack.stop());

  test('has an overview whose URLs respond with 200', async () => {
    const text = await readAndFollow(stack.url);
    expect(text).toContain('> 0 electrospinning experiments from 0 papers');
    expect(text).toContain('There is no release yet.');
  });

  test('has valid feeds without entries', async () => {
    for (const path of ['/feeds/records.atom', '/feeds/releases.atom']) {
      const { text } = await apiAt(stack.url).get(path);
      expect(readFeed(text).entries).toEqual([]);
    }
  });
});
