import { expect } from '@jest/globals';
import { request } from '@esd/testing/http';
import { apiAt } from './api.ts';

const MAX_BYTES = 8_192;

/** Reads /llms.txt of a service, checks its form, and follows every URL in it. */
export async function readLlmsTxt(url: string): Promise<string> {
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
