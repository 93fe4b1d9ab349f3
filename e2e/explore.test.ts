import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { exploredRecord } from './support/explored-record.ts';

const api = apiAt((await sharedStack()).url);
const BASES = ['/public/dataset', '/public/dataset/latest', '/public/dataset/v1.0.0', '/api/public/dataset'];

/** The demo, read record by record. */
let records: ReturnType<typeof exploredRecord>[];
beforeAll(async () => {
  const answer = await api.get('/public/dataset/export?format=json');
  records = z.array(z.record(z.string(), z.unknown())).parse(answer.json).map(exploredRecord);
  expect(records).toHaveLength(809);
});

function queryOf(parameters: Record<string, string | number | object>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query.toString();
}

async function explore(name: string, parameters: Record<string, string | number | object> = {}): Promise<unknown> {
  const answer = await api.get(`/public/dataset/${name}?${queryOf(parameters)}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json;
}

function countsOf(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  // Every text of the demo is of the basic plane.
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([value, count]) => ({ value, count }));
}

describe('facets', () => {
  test('count the values of each category', async () => {
    const { facets, total } = z
      .object({
        total: z.int(),
        facets: z.record(
          z.string(),
          z.object({
            values: z.array(z.object({ value: z.string(), count: z.int() })),
            distinct: z.int(),
            missing: z.int(),
          }),
        ),
      })
      .parse(await explore('facets', { limit: 1000 }));
    expect(total).toBe(809);
    expect(Object.keys(facets)).toHaveLength(9);
    for (const key of ['polymer', 'solvent', 'collectorType', 'needleType', 'isFormationStable', 'doi'] as const) {
      const values = countsOf(records.flatMap((record) => record.categories[key]));
      const missing = records.filter((record) => record.categories[key].length === 0).length;
      expect([key, facets[key]]).toEqual([key, { values, distinct: values.length, missing }]);
    }
  });

  test('leave out their own key, and nothing else, of a filter', async () => {
    const answer = await explore('facets', {
      keys: 'polymer,collectorType',
      limit: 3,
      filter: { polymer: 'pvdf', voltageMin: 15 },
    });
    const strong = records.filter(({ voltage }) => voltage !== undefined && voltage >= 15);
    const pvdf = strong.filter(({ categories }) => categories.polymer.some((name) => name.includes('PVDF')));
    const [polymers, collectors] = [
      countsOf(strong.flatMap(({ categories }) => categories.polymer)),
      countsOf(pvdf.flatMap(({ categories }) => categories.collectorType)),
    ];
    expect(answer).toMatchObject({
      total: pvdf.length,
      version: 'latest',
      facets: {
        polymer: { values: polymers.slice(0, 3), distinct: polymers.length },
        collectorType: { values: collectors.slice(0, 3), distinct: collectors.length },
      },
    });
  });
});

describe.each([['facets', '']])('%s', (name, parameters) => {
  test('exists for the latest dataset and its versions, and answers HEAD', async () => {
    for (const base of BASES) {
      const answer = await api.get(`${base}/${name}?${parameters}`);
      expect([base, answer.status]).toEqual([base, 200]);
      const isVersion = base.endsWith('v1.0.0');
      expect(answer.headers.get('cache-control')).toBe(isVersion ? 'public, max-age=86400' : 'no-cache');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const head = await api.head(`${base}/${name}?${parameters}`);
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', answer.headers.get('etag')]);
    }
  });

  test('is not sent again to who has it', async () => {
    const path = `/public/dataset/${name}?${parameters}`;
    const tag = (await api.get(path)).headers.get('etag') ?? '';
    const again = await api.get(path, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('refuses an unknown version, filter, or parameter', async () => {
    const at = (path: string) => api.get(`/public/dataset/${path}`);
    const and = parameters === '' ? '' : `&${parameters}`;
    expectError(await at(`v9.9.9/${name}?${parameters}`), 404, 'VERSION_NOT_FOUND', /v9\.9\.9/);
    expectError(await at(`10.1234/none/${name}?${parameters}`), 404, 'VERSION_NOT_FOUND', /"10\.1234\/none"/);
    expectError(
      await at(`${name}?filter={"polymr":"PVA"}${and}`),
      400,
      'INVALID_FILTER',
      /"polymr"; nearest: "polymer"/,
    );
    expectError(await at(`${name}?skip=1${and}`), 400, 'INVALID_PARAMETER', /"skip"/);
    expectError(await at(`${name}?filter={}&filter={}${and}`), 400, 'INVALID_PARAMETER', /more than once/);
  });
});

test.each([
  ['facets?keys=polymers', /`keys` must be categories .* "polymer"/],
  ['facets?keys=voltage', /`keys` must be categories/],
  ['facets?limit=0', /1 to 1000/],
])('%s is refused', async (path, message) => {
  expectError(await api.get(`/public/dataset/${path}`), 400, 'INVALID_PARAMETER', message);
});
