import { expect, test } from '@jest/globals';
import { openPageCache, type PageCache, type CachedResponse } from '../../src/cache/page-cache.ts';

const KILOBYTE = 1024;

function answerAt(
  pages: PageCache,
  address: string,
  page = pages.store({ kind: 'page', key: 'a', total: 1, nextAfter: undefined, body: Buffer.alloc(KILOBYTE) }),
): CachedResponse {
  const { body } = page;
  const state = { datasetId: 'one', revision: 1 };
  const response: CachedResponse = {
    page,
    route: { path: '/', limit: 'reads' },
    state,
    isPermanent: false,
    headers: ['ETag', '"x"'],
    body,
    text: undefined,
  };
  pages.remember(address, response);
  return response;
}

test('an address is evicted with its page', () => {
  const pages = openPageCache(100 * KILOBYTE);
  const response = answerAt(pages, '/a');
  expect(pages.response('/a')).toBe(response);
  // More than fit.
  for (let index = 0; index < 200; index += 1)
    pages.store({ kind: 'page', key: String(index), total: 1, nextAfter: undefined, body: Buffer.alloc(KILOBYTE) });
  expect([pages.get('a'), pages.response('/a')]).toEqual([undefined, undefined]);
  expect(response.page.addresses.size).toBe(0);
});

test('reading an address marks its page as recently used', () => {
  const pages = openPageCache(100 * KILOBYTE);
  const response = answerAt(pages, '/a');
  for (let index = 0; index < 200; index += 1) {
    pages.store({ kind: 'page', key: String(index), total: 1, nextAfter: undefined, body: Buffer.alloc(KILOBYTE) });
    expect(pages.response('/a')).toBe(response);
  }
});

test('addresses are limited by bytes, keep their newest response, and are not stored for a page that is not cached', () => {
  const pages = openPageCache(100 * KILOBYTE);
  const { page } = answerAt(pages, '/a');
  for (let index = 0; index < 1_000; index += 1) answerAt(pages, `/a?${index}`, page);
  expect(page.addresses.size).toBeGreaterThan(5);
  expect(page.addresses.size).toBeLessThan(20);
  const other = pages.store({ kind: 'page', key: 'b', total: 1, nextAfter: undefined, body: Buffer.alloc(KILOBYTE) });
  answerAt(pages, '/a?999', other);
  expect(pages.response('/a?999')?.page).toBe(other);
  expect([page.addresses.has('/a?999'), other.addresses.has('/a?999')]).toEqual([false, true]);
  answerAt(
    pages,
    '/large',
    pages.store({ kind: 'page', key: 'large', total: 1, nextAfter: undefined, body: Buffer.alloc(200 * KILOBYTE) }),
  );
  expect(pages.response('/large')).toBeUndefined();
});
