import { describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { PLAIN_PAGES } from './support/pages.ts';

const { url } = await sharedStack();

/** Every URL of a page, with its parameters. */
const PAGES: readonly (readonly [path: string, parameters: readonly string[]])[] = [
  ...PLAIN_PAGES.map((path) => [path, path === '/docs' ? ['q'] : []] as const),
  ['/search?q=PVFD', ['as']],
  ['/explore', ['polymer', 'fiberDiameterMax', 'sort', 'tab', 'columns', 'units', 'x', 'compare', 'recipe']],
  ['/record/207', ['version']],
  ['/record/999999999', []],
  ['/release/v9.9.9', []],
  ['/paper/10.1000/unknown', []],
  ['/query/00000000000000000000000000000000', []],
  ['/contribute', ['record']],
  ['/account', ['show']],
  ['/moderate', ['record', 'status', 'tab']],
  ['/manage', ['tab', 'q']],
  ['/feedback', ['record']],
  ['/auth/verify-email?token=none', []],
  ['/auth/reset-password?token=none', []],
  ['/docs/dataset', []],
  ['/docs/none', []],
  ['/no-such-page', []],
];
const HOSTILE = `</title></script><img src=x onerror=alert(1)>"'&`;
const CSP = `default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

const read = (path: string) =>
  request(`${url}${path}`, {
    headers: { accept: 'text/html', cookie: 'esd-8080=not-looked-at', 'x-forwarded-host': 'evil.example' },
  });

describe.each(PAGES)('%s', (path, parameters) => {
  test('cannot be framed, runs no external script, and sets no cookie', async () => {
    const { headers } = await read(path);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy');
    expect(policy).toBe(CSP);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe(
      path.startsWith('/auth/') ? 'no-referrer' : 'strict-origin-when-cross-origin',
    );
    for (const name of ['set-cookie', 'server', 'x-powered-by', 'access-control-allow-credentials'])
      expect([name, headers.get(name)]).toEqual([name, null]);
  });

  test('displays parameters as text, or not at all', async () => {
    const hostile = encodeURIComponent(HOSTILE);
    for (const query of [...parameters.map((name) => `${name}=${hostile}`), `unknown=${hostile}`, `${hostile}=1`]) {
      const { status, headers, text } = await read(path + (path.includes('?') ? '&' : '?') + query);
      expect([query, status < 500]).toEqual([query, true]);
      // A response other than a page has another content type.
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      if (headers.get('content-type')?.startsWith('text/html') === true) {
        expect([query, text.includes('<img src=x'), text.includes('evil.example')]).toEqual([query, false, false]);
        expect(text).not.toMatch(/ (style|on[a-z]+)="/);
      } else expect(headers.get('content-type') ?? '').toMatch(/^application\/json|^text\/plain|^$/);
    }
  });
});

test.each(['/', '/record/', '/release/', '/paper/', '/query/', '/explore/', '/docs/', '/assets/', '/auth/'])(
  'a hostile URL below %s does not run as script',
  async (parent) => {
    const { status, headers, text } = await read(parent + encodeURIComponent(HOSTILE));
    expect(status).toBe(404);
    const isPage = headers.get('content-type')?.startsWith('text/html') === true;
    expect([isPage && text.includes('<img src=x'), headers.get('x-content-type-options')]).toEqual([false, 'nosniff']);
  },
);
