import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { anonymousSubmitter } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { z } from 'zod';
import { addAccount } from './support/accounts.ts';
import { type Credentials, login, newAdmin } from './support/admin.ts';
import { type Answer, type Api, apiAt } from './support/api.ts';
import { csvTable } from './support/csv-table.ts';
import { freezeRelease, submitRecords, untilPublic } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { eventually } from '@esd/testing/eventually';
import { newAddress } from './support/new-address.ts';

const demo = apiAt((await sharedStack()).url);

const entry = z.strictObject({
  id: z.int(),
  doi: z.string(),
  title: z.string(),
  authors: z.array(z.record(z.string(), z.string())),
  year: z.int().optional(),
  journal: z.string().optional(),
  publisher: z.string().optional(),
  url: z.string().optional(),
  source: z.enum(['entered', 'imported', 'resolver']),
  updatedAt: z.iso.datetime(),
});
const list = z.strictObject({ data: z.array(entry), total: z.int(), skip: z.int(), limit: z.int() });
const papers = z.object({
  data: z.array(z.looseObject({ doi: z.string(), records: z.int(), title: z.string().optional() })),
  total: z.int(),
  withoutPaper: z.int(),
});
const counts = z.strictObject({ created: z.int(), updated: z.int(), unchanged: z.int() });

const queryOf = (parameters: Record<string, string | number | object>): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  ).toString();

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  expect([found.status, found.text]).toEqual([200, expect.any(String)]);
  return found;
}

/** Returns the value of a DOI field that the category `doi` has: written here again, without the code of the service. */
const paperOf = (text: string): string =>
  /10\.\d{4,9}\/\S+/.test(text)
    ? text
        .toLowerCase()
        .replace(/^.*?(?=10\.\d{4,9}\/)/, '')
        .replace(/\.+$/, '')
    : text.trim();

describe('papers of the demo', () => {
  /** The rows of the csv export with normalized columns. */
  let rows: Record<string, string>[];
  let known: Map<string, z.output<typeof entry>>;
  beforeAll(async () => {
    rows = csvTable((await ok(demo.get('/public/dataset/export?format=csv&normalized=true'))).text);
    known = new Map(
      list.parse((await ok(demo.get('/metadata/papers?limit=1000'))).json).data.map((one) => [one.doi, one]),
    );
  });

  test('the list has the bibliographic facts that the demo imports, at the release too', async () => {
    expect(known.size).toBe(26);
    const facets = z.object({ facets: z.object({ year: z.object({ missing: z.int() }) }) });
    const { facets: found } = facets.parse((await ok(demo.get('/public/dataset/v1.0.0/facets?keys=year'))).json);
    expect(found.year.missing).toBeLessThan(809);
  });

  const cell = (row: Record<string, string>, name: string): string => row[name] ?? '';
  test('the last columns have the year and journal of the list', () => {
    const columns = Object.keys(rows[0] ?? {});
    expect(columns.slice(-2)).toEqual(['publication_year', 'journal']);
    for (const row of rows) {
      const { year, journal } = known.get(paperOf(cell(row, 'doi'))) ?? {};
      expect([row['publication_year'], row['journal']]).toEqual([year?.toString() ?? '', journal ?? '']);
    }
  });

  test('sorts and pages', async () => {
    const sorted = async (sort: string): Promise<z.output<typeof papers>['data']> =>
      papers.parse((await ok(demo.get(`/public/dataset/papers?limit=1000&sort=${sort}`))).json).data;
    const all = await sorted('doi');
    expect(all.map(({ doi }) => doi)).toEqual(all.map(({ doi }) => doi).sort());
    expect((await sorted('-doi')).map(({ doi }) => doi)).toEqual(all.map(({ doi }) => doi).reverse());
    const [, second] = await sorted('-records');
    const page = papers.parse((await ok(demo.get('/public/dataset/papers?skip=1&limit=1'))).json);
    expect(page).toMatchObject({ data: [second], total: 57 });
    expect(papers.parse((await ok(demo.get('/public/dataset/papers?skip=1000'))).json).data).toEqual([]);
  });

  test('filters and facets use the year and the journal', async () => {
    const total = async (filter: object): Promise<number> => {
      const answer = await ok(demo.get(`/public/dataset?${queryOf({ filter, limit: 1 })}`));
      return z.object({ total: z.int() }).parse(answer.json).total;
    };
    const year = (row: Record<string, string>): number =>
      row['publication_year'] === '' ? NaN : Number(row['publication_year']);
    const count = (isWanted: (row: Record<string, string>) => boolean): number => rows.filter(isWanted).length;
    expect(await total({ yearMin: 2010, yearMax: 2014 })).toBe(count((row) => year(row) >= 2010 && year(row) <= 2014));
    expect(await total({ yearMax: 2100 })).toBe(count((row) => !Number.isNaN(year(row))));
    expect(await total({ year: '=' })).toBe(count((row) => Number.isNaN(year(row))));
    expect(await total({ year: '=2014|2015', yearMin: 2015 })).toBe(count((row) => year(row) === 2015));
    expect(await total({ journal: ' POLYMER' })).toBe(
      count((row) => cell(row, 'journal').toLowerCase().includes('polymer')),
    );
    expect(await total({ journal: '=Polymer' })).toBe(count((row) => row['journal'] === 'Polymer'));
    const explained = await ok(
      demo.get(`/public/dataset?${queryOf({ filter: { yearMin: 2014 }, explain: 'true', record: 1 })}`),
    );
    expect(explained.text).toMatch(/list of papers/);
    expectError(await demo.get(`/public/dataset?filter={"yearMin":"soon"}`), 400, 'INVALID_FILTER', /yearMin/);
    expectError(await demo.get(`/public/dataset?filter={"year":2014}`), 400, 'INVALID_FILTER', /year/);
    const points = z.object({ color: z.array(z.string().nullable()), recordId: z.array(z.int()) });
    const drawn = points.parse((await ok(demo.get('/public/dataset/points?x=voltage&y=tipDist&color=year'))).json);
    const colors = new Map(drawn.recordId.map((id, at) => [id, drawn.color[at]]));
    for (const row of rows.slice(0, 50)) {
      expect([row['record_id'], colors.get(Number(row['record_id'])) ?? '']).toEqual([
        row['record_id'],
        row['publication_year'],
      ]);
    }
  });

  test('a citation file has all papers of the filter', async () => {
    const filter = JSON.stringify({ polymer: 'PVDF' });
    const bibtex = await ok(demo.get(`/public/dataset/papers?filter=${filter}&format=bibtex`));
    expect(bibtex.headers.get('content-type')).toMatch(/bibtex/);
    expect(bibtex.headers.get('content-disposition')).toMatch(/latest-r\d+-filtered-papers\.bib"/);
    const { data, total } = papers.parse(
      (await ok(demo.get(`/public/dataset/papers?filter=${filter}&limit=1000`))).json,
    );
    expect(bibtex.text.match(/^@/gm)).toHaveLength(total);
    expect(bibtex.text).toContain(
      'title = {{Polymorphism control of poly(vinylidene fluoride) through electrospinning}}',
    );
    const csl = await ok(demo.get(`/public/dataset/v1.0.0/papers?filter=${filter}&format=csl-json`));
    const items = z.array(z.looseObject({ id: z.string(), title: z.string().optional() })).parse(JSON.parse(csl.text));
    expect(items.map(({ id }) => id)).toEqual(data.map(({ doi }) => doi).sort());
    const again = await demo.get(`/public/dataset/papers?filter=${filter}&format=bibtex`, {
      headers: { 'if-none-match': bibtex.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    for (const parameter of ['skip=0', 'limit=5', 'sort=doi', 'design=true']) {
      expectError(
        await demo.get(`/public/dataset/papers?format=bibtex&${parameter}`),
        400,
        'INVALID_PARAMETER',
        /format=bibtex/,
      );
    }
  });

  test.each(['sort=title', 'design=yes', 'format=ris'])('`%s` is an invalid parameter', async (parameter) => {
    expectError(await demo.get(`/public/dataset/papers?${parameter}`), 400, 'INVALID_PARAMETER');
  });

  test('a public query has its papers', async () => {
    const { id } = z
      .object({ id: z.string() })
      .parse((await demo.post('/public/queries', { filter: { polymer: 'PVA' } })).json);
    const found = await ok(demo.get(`/public/queries/${id}/papers?limit=1000`));
    const { version: _, ...ofFilter } = z
      .looseObject({ version: z.string() })
      .parse((await ok(demo.get('/public/dataset/papers?filter={"polymer":"PVA"}&limit=1000'))).json);
    expect(found.json).toEqual({ ...ofFilter, version: `query-${id}` });
    expect(found.headers.get('cache-control')).toBe('public, max-age=86400');
    const file = await ok(demo.get(`/public/queries/${id}/papers?format=bibtex`));
    expect(file.text.match(/^@/gm)).toHaveLength(papers.parse(found.json).total);
    expectError(await demo.get(`/public/queries/${id}/papers?sort=doi`), 400, 'INVALID_PARAMETER');
    expectError(await demo.get('/public/queries/0/papers'), 404, 'QUERY_NOT_FOUND');
  });
});

describe('the list of papers', () => {
  let stack: TestStack;
  let api: Api;
  let admin: { who: Credentials; token: string };
  let bearer: { bearer: string };
  const mark = Date.now().toString(36);
  const doi = (name: string): string => `10.5555/${mark}.${name}`;

  beforeAll(async () => {
    stack = await leaseStack('replicated');
    api = apiAt(stack.url);
    admin = await newAdmin(stack, api);
    bearer = { bearer: admin.token };
    // Late events of an earlier file change the revision before this record is public.
    await publish({});
  });
  afterAll(() => stack.stop());

  const listOf = async (parameters: Record<string, string | number> = {}): Promise<z.output<typeof list>> =>
    list.parse((await ok(api.get(`/metadata/papers?${queryOf({ limit: 1000, ...parameters })}`))).json);
  const create = async (body: object): Promise<z.output<typeof entry>> => {
    const answer = await api.post('/metadata/papers', body, bearer);
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return entry.parse(answer.json);
  };
  const importAll = (items: unknown, options: object = {}): Promise<Answer> =>
    api.post('/metadata/papers/import', JSON.stringify(items), {
      ...bearer,
      headers: { 'content-type': 'application/json' },
      ...options,
    });
  const revision = async (): Promise<number> =>
    Number((await ok(api.get('/public/dataset?limit=1'))).headers.get('esd-dataset-revision'));
  const publish = async (researchMetadata: object): Promise<number> => {
    const [id = 0] = await submitRecords(api, {
      userMetadata: anonymousSubmitter,
      experimentData: [{ researchMetadata, polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] } }],
    });
    const answer = await api.post(`/moderation/records/${id}/approve`, {}, bearer);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await untilPublic(api, [id]);
    return id;
  };

  test('requires the role ADMIN for changes', async () => {
    const { who } = await addAccount(stack, admin.who, newAddress('moderator'), 'MODERATOR');
    const moderator = await login(api, who);
    const body = { doi: doi('x'), title: 'X' };
    for (const bearer of [undefined, moderator]) {
      const [status, code] = bearer === undefined ? ([401, 'AUTH_REQUIRED'] as const) : ([403, 'FORBIDDEN'] as const);
      const options = bearer === undefined ? {} : { bearer };
      expectError(await api.post('/metadata/papers', body, options), status, code);
      expectError(await api.put('/metadata/papers/1', body, options), status, code);
      expectError(await api.delete('/metadata/papers/1', options), status, code);
      expectError(await api.post('/metadata/papers/import', [body], options), status, code);
      expectError(await api.get('/admin/metadata/papers/missing', options), status, code);
    }
  });

  test('an entry is created, replaced and deleted, each as one dataset revision in the audit', async () => {
    const before = await revision();
    const made = await create({
      ...{ id: 7, source: 'resolver', updatedAt: 'never' },
      doi: ` https://doi.org/${doi('One').toUpperCase()}. `,
      title: ' A <i>title</i> ',
      authors: [{ family: 'Doe', given: 'J.', orcid: 'https://orcid.org/0000-0002-1825-0097' }, { name: 'A group' }],
      year: 2014,
    });
    expect(made).toMatchObject({
      doi: doi('one'),
      title: 'A title',
      authors: [{ family: 'Doe', given: 'J.', orcid: '0000-0002-1825-0097' }, { name: 'A group' }],
      year: 2014,
      source: 'entered',
    });
    expect(await revision()).toBe(before + 1);
    expect(await listOf({ doi: `DOI:${doi('ONE')}` })).toMatchObject({ data: [made], total: 1 });
    for (const query of ['a TITLE', 'doe', 'A gro', doi('one').slice(3)]) {
      expect((await listOf({ query })).data).toContainEqual(made);
    }
    expect((await listOf({ query: 'no such text' })).total).toBe(0);

    expectError(
      await api.post('/metadata/papers', { doi: doi('one'), title: 'Again' }, bearer),
      400,
      'VALIDATION_FAILED',
      /problem/,
    );
    const taken = await api.post('/metadata/papers', { doi: doi('ONE'), title: 'Again' }, bearer);
    expect(taken.json).toMatchObject({ errors: [{ path: 'doi' }] });

    const replaced = await ok(
      api.put(`/metadata/papers/${made.id}`, { ...made, title: 'Another title', journal: 'Journal' }, bearer),
    );
    expect(replaced.json).toMatchObject({ id: made.id, title: 'Another title', journal: 'Journal', source: 'entered' });
    await ok(api.put(`/metadata/papers/${made.id}`, entry.parse(replaced.json), bearer));
    expect(await revision()).toBe(before + 2);
    await ok(api.delete(`/metadata/papers/${made.id}`, bearer));
    expect(await revision()).toBe(before + 3);
    expect((await listOf({ doi: doi('one') })).total).toBe(0);
    expectError(await api.delete(`/metadata/papers/${made.id}`, bearer), 404, 'ENTRY_NOT_FOUND');
    expectError(
      await api.put(`/metadata/papers/${made.id}`, { doi: doi('one'), title: 'X' }, bearer),
      404,
      'ENTRY_NOT_FOUND',
    );
    const changes = z
      .object({
        data: z.array(z.object({ action: z.string(), entryId: z.int(), before: z.looseObject({}).optional() })),
      })
      .parse((await ok(api.get(`/admin/metadata/changes?list=papers&entryId=${made.id}`, bearer))).json);
    expect(changes.data.map(({ action }) => action)).toEqual(['delete', 'replace', 'create']);
    expect(changes.data[0]?.before).toMatchObject({ title: 'Another title' });
  });

  test('an entry with problems is refused with all of them', async () => {
    const answer = await api.post(
      '/metadata/papers',
      {
        doi: ' ',
        title: 'x'.repeat(2001),
        year: 1599,
        url: 'ftp://x',
        authors: [{ family: '' }, { family: 'A', orcid: '1' }],
      },
      bearer,
    );
    expectError(answer, 400, 'VALIDATION_FAILED');
    const { errors } = z
      .object({ errors: z.array(z.object({ path: z.string(), code: z.string() })) })
      .parse(answer.json);
    expect(errors.map(({ path }) => path).sort()).toEqual(
      ['authors[0].family', 'authors[1].orcid', 'doi', 'title', 'url', 'year'].sort(),
    );
    for (const body of [
      { doi: doi('a') },
      { doi: doi('a'), title: 'A', authors: [{}] },
      { doi: doi('a'), title: 'A', x: 1 },
      { doi: `${doi('a')}/../b`, title: 'A' },
    ]) {
      expectError(await api.post('/metadata/papers', body, bearer), 400, 'VALIDATION_FAILED');
    }
  });

  test('If-Match of any page refuses a change of a newer list', async () => {
    const { id } = await create({ doi: doi('match'), title: 'Match' });
    const seen = (await ok(api.get(`/metadata/papers?doi=${doi('match')}`))).headers.get('etag') ?? '';
    const headers = { 'if-match': seen };
    const first = await api.put(
      `/metadata/papers/${id}`,
      { doi: doi('match'), title: 'First' },
      { ...bearer, headers },
    );
    expect([first.status, first.headers.get('etag')]).toEqual([200, expect.any(String)]);
    const late = await api.put(`/metadata/papers/${id}`, { doi: doi('match'), title: 'Late' }, { ...bearer, headers });
    expectError(late, 412, 'PRECONDITION_FAILED');
    const page = await api.get('/metadata/papers');
    const conditional = { headers: { 'if-none-match': page.headers.get('etag') ?? '' } };
    expect((await api.get('/metadata/papers', conditional)).status).toBe(304);
    expect((await api.get('/metadata/papers?skip=1', conditional)).status).toBe(200);
    await create({ doi: doi('newer'), title: 'Newer' });
    expect((await api.get('/metadata/papers', conditional)).status).toBe(200);
  });

  test('a record names its paper by any URL with the DOI, but not by a text with a folder', async () => {
    const written = doi('Shared');
    const ids = [
      await publish({ doi: `https://publisher.example/doi/full/${written}?via%3Dsearch#sec1` }),
      await publish({ doi: `${written}.pdf` }),
    ];
    const named = await publish({ doi: `https://doi.org/${written}/../x` });
    await create({ doi: `https://publisher.example/content/pdf/${written}.pdf`, title: 'Shared paper' });
    const found = z
      .object({ data: z.array(z.object({ recordId: z.int() })) })
      .parse((await ok(api.get(`/public/dataset?${queryOf({ filter: { doi: `=${written}` } })}`))).json);
    expect(found.data.map(({ recordId }) => recordId)).toEqual(ids);
    const [paper] = papers.parse(
      (await ok(api.get(`/public/dataset/papers?${queryOf({ filter: { doi: written } })}`))).json,
    ).data;
    expect(paper).toMatchObject({ doi: doi('shared'), records: 1, title: 'Shared paper' });
    const record = await ok(api.get(`/public/dataset/records/${named}`));
    expect(record.json).toMatchObject({ data: { researchMetadata: { doi: `https://doi.org/${written}/../x` } } });
    const without = await ok(api.get(`/public/dataset?${queryOf({ filter: { doi: '=' } })}`));
    expect(without.text).toContain(`"recordId":${named},`);
    const { text } = await ok(request(`${api.url}/record/${named}`, { headers: { accept: 'text/html' } }));
    expect(text).not.toMatch(/href="[^"]*\.\.\//);
  });

  test('an import adds and replaces papers, or nothing', async () => {
    await publish({ doi: `https://papers.example/${mark}/PII/S1` });
    const before = await revision();
    const items = [
      {
        DOI: `https://doi.org/${doi('IMPORTED')}`,
        title: 'Fibers of CO<sub>2</sub> and <span class="x">more</span>',
        author: [{ family: 'Li', given: 'J.', ORCID: 'http://orcid.org/0000-0002-1825-0097' }, { literal: 'A group' }],
        issued: { 'date-parts': [['2016', 5]] },
        'container-title': 'Journal',
        publisher: 'Publisher',
        URL: 'https://example.org/paper',
        abstract: 'is ignored',
      },
      { URL: `https://PAPERS.example/${mark}/pii/s1`, title: 'Named by its address' },
    ];
    expect(counts.parse((await ok(importAll(items))).json)).toEqual({ created: 2, updated: 0, unchanged: 0 });
    expect(await revision()).toBe(before + 1);
    const [imported] = (await listOf({ doi: doi('imported') })).data;
    expect(imported).toMatchObject({
      title: 'Fibers of CO2 and more',
      authors: [{ family: 'Li', given: 'J.', orcid: '0000-0002-1825-0097' }, { name: 'A group' }],
      year: 2016,
      journal: 'Journal',
      publisher: 'Publisher',
      url: 'https://example.org/paper',
      source: 'imported',
    });
    const [byAddress] = (await listOf({ query: 'named by its address' })).data;
    expect(byAddress).toMatchObject({ doi: `https://papers.example/${mark}/PII/S1` });
    expect(counts.parse((await ok(importAll(items))).json)).toEqual({ created: 0, updated: 0, unchanged: 2 });
    expect(await revision()).toBe(before + 1);
    const changed = [{ ...items[0], title: 'Changed' }, items[1]];
    expect(counts.parse((await ok(importAll(changed))).json)).toEqual({ created: 0, updated: 1, unchanged: 1 });
    expect(await revision()).toBe(before + 2);

    const refused = [
      { DOI: doi('fine'), title: 'Fine' },
      { DOI: doi('bad') },
      { title: 'No DOI' },
      { DOI: doi('FINE'), title: 'Twice' },
      { DOI: doi('year'), title: 'Year', issued: { 'date-parts': [[999]] }, author: [{ given: 'X' }] },
      'text',
    ];
    const problemsOf = async (papers: unknown): Promise<string[]> => {
      const { errors = [] } = expectError(await importAll(papers), 400, 'VALIDATION_FAILED');
      return errors.map(({ path }) => path).sort();
    };
    expect(await problemsOf(refused)).toEqual(
      ['[1].title', '[2].DOI', '[3].DOI', '[4].author[0].family', '[4].issued', '[5]'].sort(),
    );
    // Whether a record names the URL is only checked if the texts have no problem.
    expect(await problemsOf([{ URL: 'https://unknown.example/', title: 'Unknown' }])).toEqual(['[0].DOI']);
    expect((await listOf({ doi: doi('fine') })).total).toBe(0);
    expect(await revision()).toBe(before + 2);
  });

  test('an import has 1 to 1,000 items of JSON', async () => {
    const items = Array.from({ length: 1001 }, (_, at) => ({ DOI: doi(`n${at}`), title: `${at}` }));
    expectError(await importAll(items), 413, 'PAYLOAD_TOO_LARGE', /1000/);
    expectError(await importAll([]), 400, 'VALIDATION_FAILED');
    expectError(await importAll({}), 400, 'VALIDATION_FAILED');
    expectError(await importAll([1]), 400, 'VALIDATION_FAILED');
    expectError(
      await api.post('/metadata/papers/import', '[{]}', { ...bearer, headers: { 'content-type': 'application/json' } }),
      400,
      'INVALID_REQUEST',
    );
    expectError(
      await api.post('/metadata/papers/import', '[]', { ...bearer, headers: { 'content-type': 'text/plain' } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  test('importing the exported list changes nothing', async () => {
    await create({ doi: 'a thesis of 2011', title: 'Thesis', authors: [{ name: 'Nobody' }] });
    await create({ doi: `https://both.example/${mark}`, url: `https://both.example/${mark}`, title: 'Both' });
    const before = await revision();
    const exported = await ok(api.get('/metadata/papers?format=csl-json'));
    expect(exported.headers.get('content-type')).toMatch(/^application\/vnd\.citationstyles\.csl\+json/);
    const items = z.array(z.unknown()).parse(JSON.parse(exported.text));
    expect(items).toHaveLength((await listOf()).total);
    const csl = { headers: { 'content-type': 'application/vnd.citationstyles.csl+json' } };
    const again = await ok(importAll(items, csl));
    expect(counts.parse(again.json)).toEqual({ created: 0, updated: 0, unchanged: items.length });
    expect(await revision()).toBe(before);
    expectError(await api.get('/metadata/papers?format=csl-json&limit=5'), 400, 'INVALID_PARAMETER', /limit/);
    expectError(await api.get('/metadata/papers?format=bibtex'), 400, 'INVALID_PARAMETER');
  });

  test('records follow the list at the state that is read', async () => {
    const own = doi('followed');
    const id = await publish({ doi: own });
    const titled = await publish({ doi: own, publicationTitle: '  As the record\n says ' });
    const filter = JSON.stringify({ doi: own });
    const paperAt = async (base: string): Promise<unknown> =>
      papers.parse((await ok(api.get(`${base}/papers?filter=${filter}`))).json).data[0];
    const found = async (conditions: object): Promise<number> =>
      z
        .object({ total: z.int() })
        .parse((await ok(api.get(`/public/dataset?${queryOf({ filter: { doi: own, ...conditions } })}`))).json).total;
    expect(await paperAt('/public/dataset')).toMatchObject({
      title: 'As the record says',
      source: 'records',
      records: 1,
    });
    expect(await found({ yearMin: 1600 })).toBe(0);
    const entryOf = await create({ doi: own, title: 'As the list says', year: 1999, journal: 'Fibers' });
    expect(await paperAt('/public/dataset')).toMatchObject({
      title: 'As the list says',
      source: 'entered',
      year: 1999,
    });
    expect([await found({ yearMin: 1999, yearMax: 1999, journal: 'FIB' }), await found({ year: '=2000' })]).toEqual([
      2, 0,
    ]);
    const version = `v1.0.${Date.now() % 1e8}`;
    await freezeRelease(api, { versionIdentifier: version }, admin.token);
    await ok(api.put(`/metadata/papers/${entryOf.id}`, { doi: own, title: 'Corrected', year: 2000 }, bearer));
    expect(await paperAt('/public/dataset')).toMatchObject({ title: 'Corrected', year: 2000 });
    expect(await paperAt(`/public/dataset/${version}`)).toMatchObject({
      title: 'As the list says',
      year: 1999,
      journal: 'Fibers',
    });
    const inRelease = await ok(
      api.get(`/public/dataset/${version}/facets?${queryOf({ filter: { doi: own }, keys: 'year,journal' })}`),
    );
    expect(inRelease.json).toMatchObject({
      facets: {
        year: { values: [{ value: '1999', count: 1 }] },
        journal: { values: [{ value: 'Fibers', count: 1 }], missing: 0 },
      },
    });
    const csv = csvTable(
      (
        await ok(
          api.get(
            `/public/dataset/${version}/export?${queryOf({ format: 'csv', normalized: 'true', filter: { doi: own } })}`,
          ),
        )
      ).text,
    );
    expect(csv.map((row) => [row['publication_year'], row['journal']])).toEqual([
      ['1999', 'Fibers'],
      ['1999', 'Fibers'],
    ]);
    await ok(api.delete(`/metadata/papers/${entryOf.id}`, bearer));
    expect(await paperAt('/public/dataset')).toMatchObject({ title: 'As the record says', source: 'records' });
    expect(await found({ year: '=' })).toBe(2);
    const missing = await ok(api.get('/admin/metadata/papers/missing?limit=1000', bearer));
    expect(z.object({ data: z.array(z.looseObject({ doi: z.string() })) }).parse(missing.json).data).toContainEqual({
      doi: own,
      records: 2,
      attempts: 0,
    });
    expect([id, titled]).toHaveLength(2);
  });

  test('pages, citations and metadata use the newest entry, those of a release too', async () => {
    const own = doi('newest');
    const [hostile, journal] = [`<img src=x onerror="window.wasRun = 1">'&\u2028 ${mark}`, 'A & <u>B</u>'];
    const id = await publish({ doi: own, publicationTitle: 'As the record says' });
    const read = async (path: string, accept: string): Promise<string> => {
      const { status, text } = await request(stack.url + path, { headers: { accept } });
      expect([path, status]).toEqual([path, 200]);
      return text;
    };
    const textOf = async (path: string): Promise<string> =>
      (await read(path, 'text/html')).replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    expect(await textOf(`/record/${id}`)).toContain('>As the record says</a>');
    const version = `v1.1.${Date.now() % 1e8}`;
    await freezeRelease(api, { versionIdentifier: version }, admin.token);
    const pages = [
      `/record/${id}`,
      `/record/${id}?version=${version}`,
      `/release/${version}`,
      '/release/latest',
      `/explore?doi=%3D${encodeURIComponent(own)}`,
      `/explore?doi=%3D${encodeURIComponent(own)}&version=${version}&tab=papers`,
      `/explore?doi=%3D${encodeURIComponent(own)}&tab=coverage&coverage=doi`,
    ];
    const metadata = [
      `/public/dataset/records/${id}/metadata`,
      `/public/dataset/${version}/records/${id}/metadata`,
      '/public/dataset/metadata',
      `/public/dataset/${version}/metadata`,
    ];
    for (const path of pages) expect([path, await textOf(path)]).not.toEqual([path, expect.stringContaining(hostile)]);
    const authors = [{ family: 'Zeleny' }, { family: 'Taylor' }, { name: 'Fiber group' }];
    const made = await create({ doi: own, title: hostile, authors, year: 1914, journal });
    // Replicas cache the newest state for 25 ms.
    for (const path of pages) {
      const text = await eventually(
        () => textOf(path),
        (page) => page.includes(`>${hostile}</`),
      );
      expect([path, text]).toEqual([path, expect.stringContaining(`Zeleny et al., 1914, ${journal}`)]);
      expect([path, text]).toEqual([path, expect.stringContaining(`/paper/${encodeURIComponent(own)}"`)]);
      expect((await read(path, 'text/html')).includes('<img src=x')).toBe(false);
    }
    const articleOf = (text: string): unknown =>
      z
        .object({ isBasedOn: z.array(z.looseObject({ identifier: z.string() })) })
        .parse(JSON.parse(text))
        .isBasedOn.find(({ identifier }) => identifier === `doi:${own}`);
    for (const path of metadata) {
      const text = await read(path, 'application/ld+json');
      expect([path, articleOf(text)]).toEqual([path, expect.objectContaining({ name: hostile.replace('\u2028', '') })]);
    }
    await ok(api.put(`/metadata/papers/${made.id}`, { doi: own, title: 'Corrected' }, bearer));
    for (const path of [...pages, ...metadata]) {
      const text = await eventually(
        () => textOf(path),
        (page) => page.includes('Corrected'),
      );
      expect([path, text.includes(hostile)]).toEqual([path, false]);
    }
    await ok(api.delete(`/metadata/papers/${made.id}`, bearer));
    await eventually(
      () => textOf(`/record/${id}?version=${version}`),
      (page) => page.includes('>As the record says</a>'),
    );
  });
});
