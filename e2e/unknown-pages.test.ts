import { expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { rawHttp } from './support/raw-http.ts';

const { url } = await sharedStack();
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const read = (path: string, accept = BROWSER) => request(url + path, { headers: { accept } });
/** The page without its frame, as HTML. */
const main = (html: string): string => /<main[^]*<\/main>/.exec(html)?.[0] ?? '';
const words = (html: string): string =>
  main(html)
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
const searched = (html: string): string | undefined => /<input id="search"[^>]* value="([^"]*)"/.exec(html)?.[1];

test('an unknown address is a page for browsers, and an error body for other clients', async () => {
  for (const path of ['/nope', '/api/nope']) {
    const page = await read(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toContain('<meta name="robots" content="noindex"/>');
    expect(words(page.text)).toMatch(
      new RegExp(`^Page not found ?There is no page at ${path}\\. Search, or start at Explore\\.`),
    );
    expect(searched(page.text)).toBe('nope');
    for (const link of ['/explore', '/releases', '/docs']) expect(main(page.text)).toContain(`<a href="${link}">`);
    for (const accept of ['*/*', 'application/json', 'image/png']) {
      const answer = await read(path, accept);
      expect([answer.status, answer.json]).toEqual([
        404,
        expect.objectContaining({
          success: false,
          code: 'ROUTE_NOT_FOUND',
          message: expect.stringContaining(`"${path}"`),
        }),
      ]);
    }
  }
});

test('a missing record says so, and searches for its number', async () => {
  const { status, text } = await read('/record/99999');
  expect(status).toBe(404);
  expect(words(text)).toMatch(/99999\. ?There is no page at \/record\/99999\. Search/);
  expect(searched(text)).toBe('99999');
});

test.each([
  ['/datasets/PVDF%20in%20DMF', '/datasets/PVDF%20in%20DMF', 'PVDF in DMF'],
  ['/caf%C3%A9/', '/café/', 'café'],
  ['/a%2Fb', '/a%2Fb', 'a/b'],
  // A line break, an escape, and a character that reverses the direction of the text.
  ['/a%0Ab%1B%E2%80%AEc', '/a%0Ab%1B%E2%80%AEc', 'a b  c'],
  [
    `/${encodeURIComponent(`</title><script>alert(1)</script>"'&`)}`,
    `/&lt;%2Ftitle>&lt;script>alert(1)&lt;%2Fscript>&quot;'%26`,
    `&lt;/title>&lt;script>alert(1)&lt;/script>&quot;'&amp;`,
  ],
])('%s is shown as text', async (path, shown, search) => {
  const { status, text, headers } = await read(path);
  expect(status).toBe(404);
  expect(main(text)).toContain(`There is no page at <code class="hash">${shown}</code>`);
  expect(text).not.toContain('<script>alert');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'self'; /);
  expect(searched(text)).toBe(search);
});

test('a long address is shortened', async () => {
  const { status, text } = await read(`/${'x'.repeat(8_000)}`);
  expect(status).toBe(404);
  expect(words(text)).toContain(`/${'x'.repeat(199)}…`);
  expect(words(text)).not.toContain('x'.repeat(200));
  expect(searched(text)).toBe('x'.repeat(100));
});

test('an address that is not valid is an error body', async () => {
  for (const path of ['/%zz', '/%E0%A4%A', '/a%00b']) {
    const answer = await read(path);
    expect([path, answer.status, answer.json]).toEqual([path, 400, expect.objectContaining({ success: false })]);
  }
  // Bytes that are not encoded.
  const raw = await rawHttp(
    url,
    Buffer.from('GET /\xff\xfe<b> HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n', 'latin1'),
  );
  expect(raw.status).toBeGreaterThanOrEqual(400);
  expect(raw.status).toBeLessThan(500);
  expect(raw.body).not.toContain('<b>');
});
