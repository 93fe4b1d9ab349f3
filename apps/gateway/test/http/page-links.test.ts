import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pageLinks, type Page } from '../../src/http/page-links.ts';

const LIST = 'https://esd.example.org/data/api/public/dataset';
const REQUEST = {
  exchange: { publicRoot: 'https://esd.example.org/data' },
  ...{ baseUrl: '/api', path: '/public/dataset', url: '/public/dataset?limit=7&sort=voltage&skip=3' },
};

function relations(page: Page): Record<string, number> {
  return Object.fromEntries(
    pageLinks(REQUEST, page)
      .split(', ')
      .map((link) => {
        const [, reference = '', relation = ''] = /^<(.+)>; rel="(.+)"$/.exec(link) ?? [];
        const url = new URL(reference);
        expect(`${url.origin}${url.pathname}`).toBe(LIST);
        expect([...url.searchParams.keys()]).toEqual(['skip', 'limit', 'sort']);
        expect(url.searchParams.get('limit')).toBe(String(page.limit));
        return [relation, Number(url.searchParams.get('skip'))];
      }),
  );
}

describe('pageLinks', () => {
  test.each([
    [
      { skip: 0, limit: 100, total: 809 },
      { first: 0, next: 100, last: 800 },
    ],
    [
      { skip: 100, limit: 100, total: 809 },
      { first: 0, prev: 0, next: 200, last: 800 },
    ],
    [
      { skip: 800, limit: 100, total: 809 },
      { first: 0, prev: 700, last: 800 },
    ],
    [
      { skip: 0, limit: 100, total: 100 },
      { first: 0, last: 0 },
    ],
    [
      { skip: 0, limit: 100, total: 0 },
      { first: 0, last: 0 },
    ],
    [
      { skip: 50, limit: 100, total: 809 },
      { first: 0, prev: 0, next: 150, last: 750 },
    ],
    [
      { skip: 5_000, limit: 100, total: 809 },
      { first: 0, prev: 800, last: 800 },
    ],
  ])('links the page %j to its neighbors', (page, expected) => {
    expect(relations(page)).toEqual(expected);
  });

  test('following next from the first page returns every item once and ends at last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 60 }), (total, limit) => {
        let shown = 0;
        let skip: number | undefined = 0;
        let at = 0;
        while (skip !== undefined) {
          expect(skip).toBe(shown);
          shown += Math.min(limit, total - skip);
          at = skip;
          skip = relations({ skip, limit, total })['next'];
        }
        expect(shown).toBe(total);
        expect(relations({ skip: 0, limit, total })['last']).toBe(at);
      }),
    );
  });
});
