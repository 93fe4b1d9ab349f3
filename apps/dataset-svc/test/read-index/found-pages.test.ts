import { expect, test } from '@jest/globals';
import type { Filter } from '@esd/record/filter/filter';
import type { SortKey } from '@esd/record/filter/sort-keys';
import { foundPages } from '../../src/read-index/found-pages.ts';
import type { Found, Question } from '../../src/read-index/read-index.ts';

const sort: SortKey[] = [{ key: 'voltage', descending: true }];
const filter: Filter = [{ kind: 'range', key: 'voltage', min: 3 }];

/** An index of 50 rows at revision 9, which counts how often it searches. */
function startIndex() {
  const asked: Question[] = [];
  const find = (question: Question): Promise<Found> => {
    asked.push(question);
    const { skip, limit, revision = 9 } = question;
    const all = Array.from({ length: 50 }, (_, at) => 1_000 * revision - at);
    const state = { datasetId: 'd', revision, recordCount: 50 };
    return Promise.resolve({
      state,
      total: 50,
      rowIds: all.slice(skip, skip + limit),
      before: 0,
      nextAfter: undefined,
    });
  };
  return { pages: foundPages({ find }), asked, find };
}

test('the rest of a sorted page is not searched again, whatever part of it came', async () => {
  const { pages, asked, find } = startIndex();
  const question = { filter, sort, skip: 10, limit: 20 };
  const found = await pages.find(question);
  pages.keep(question, found);
  for (const done of [3, 4, 19]) {
    const rest = { ...question, skip: 10 + done, limit: 20 - done, revision: 9 };
    expect(await pages.find(rest)).toEqual(await find(rest));
  }
  expect(asked.filter((one) => one.revision === undefined)).toHaveLength(1);
  expect(asked).toHaveLength(4);
});

test.each([
  ['another state', { revision: 8 }],
  ['the newest state', { revision: undefined }],
  ['another filter', { filter: [] }],
  ['another order', { sort: [{ key: 'voltage', descending: false } as const] }],
  ['another end', { limit: 18 }],
  ['what comes before it', { skip: 9, limit: 21 }],
])('%s is searched', async (_, other) => {
  const { pages, asked, find } = startIndex();
  const question = { filter, sort, skip: 10, limit: 20 };
  pages.keep(question, await pages.find(question));
  const different = { ...question, skip: 13, limit: 17, revision: 9, ...other };
  expect(await pages.find(different)).toEqual(await find(different));
  expect(asked).toHaveLength(3);
});
