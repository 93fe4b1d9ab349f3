import { describe, expect, test } from '@jest/globals';
import { categoryKeys, features as featureList } from '@esd/record/filter/filter-keys';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { apiAt } from './support/api.ts';
import { csvTable } from './support/csv-table.ts';
import { expectError } from './support/errors.ts';
import { visibleText as words } from './support/visible-text.ts';
import { PLAIN_PAGES } from './support/pages.ts';

const demo = await sharedStack();
const api = apiAt(demo.url);
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const JSON_FIRST = 'application/json';

const read = (path: string, accept = HTML) => request(demo.url + path, { headers: { accept } });

async function pageText(path: string): Promise<string> {
  const answer = await read(path);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
  return answer.text;
}

const features = z.object({
  features: z.array(
    z.looseObject({
      key: z.string(),
      label: z.string(),
      description: z.string(),
      column: z.string().nullable(),
      count: z.int(),
      notConvertible: z.int().nullable(),
    }),
  ),
});

test('/data-dictionary is /metadata/features as a page and as JSON', async () => {
  const list = await api.get('/metadata/features');
  const json = await read('/data-dictionary', JSON_FIRST);
  expect([json.status, json.text]).toEqual([200, list.text]);
  const page = words(await pageText('/data-dictionary'));
  const { features: keys } = features.parse(list.json);
  expect(keys).toHaveLength(featureList.length + categoryKeys.length);
  let from = 0;
  for (const { key, label, description, column } of keys) {
    const at = page.indexOf(words(`${label} ${key} ${description.replaceAll('`', ' ')}`), from);
    expect([key, at >= from]).toEqual([key, true]);
    from = at;
    expect(page.indexOf(column ?? 'none', from)).toBeGreaterThan(from);
  }
});

describe('/about', () => {
  test('its numbers are those of the csv export', async () => {
    const rows = csvTable((await api.get('/public/dataset/export?format=csv&normalized=true')).text);
    const failed = rows.filter((row) => row['was_formation_stable']?.toLowerCase() === 'false');
    const papers = new Set(failed.map((row) => row['doi']));
    const page = words(await pageText('/about'));
    expect(page).toContain(`${rows.length} experiments (648 distinct) from 57 papers`);
    expect(page).toContain('PVDF is the most frequent polymer: 190 of 648 distinct experiments (29%).');
    expect(page).toContain(
      `${failed.length} experiments are reported as not stable, from ${papers.size} of 57 papers.`,
    );
    expect(page).toContain(`By polymer: PVDF (${failed.length})`);
    expect(page).toContain('161 experiments repeat an earlier one');
    expect(page).toContain('(22 groups)');
    const { features: keys } = features.parse((await api.get('/metadata/features')).json);
    const unreported = keys.filter(({ count, notConvertible }) => count + (notConvertible ?? 0) === 0);
    expect(unreported.length).toBeGreaterThan(5);
    const [, sentence = ''] = /No record reports (.*?)\./.exec(page) ?? [];
    expect(sentence.split(/, | or /)).toEqual(
      unreported.map(({ label }) => (label.startsWith('Young') ? label : label.toLowerCase())),
    );
  });

  test('it names the release to cite, the license, and the contact', async () => {
    const text = await pageText('/about');
    const page = words(text);
    expect(page).toContain('How to cite release v1.0.0');
    expect(text).toMatch(
      /<h2 id="license">License<\/h2><p><a href="https:\/\/spdx.org\/licenses\/CC-BY-4.0">CC-BY-4.0/,
    );
    expect(text).toContain('<a href="https://arxiv.org/abs/2603.27841">');
    expect(page).toContain('Contact electrospinning-data.org');
  });
});

test('/privacy has the periods of the settings', async () => {
  const page = words(await pageText('/privacy'));
  for (const text of [
    'Audit trail: 90 days.',
    'Rejected experiments without an account that were never public: 180 days after the decision.',
    'Your details without an account: 730 days after the last decision on the submission.',
    '365 days after it was closed or last changed.',
    'A session ends 24 hours after its last use, or 30 days if you chose to stay signed in. In any case, it ends 90 days after the sign-in.',
  ]) {
    expect(page).toContain(text);
  }
  expect(page).toContain('Who is responsible electrospinning-data.org');
});

const paperItem = z.looseObject({ doi: z.string(), records: z.int(), title: z.string().optional() });
const papersAnswer = z.object({ data: z.array(paperItem), total: z.int() });

describe('/paper', () => {
  const DOI = '10.3390/nano10061221';

  test('any spelling of a DOI leads to the paper, which is the item of the list', async () => {
    const query = new URLSearchParams({ filter: JSON.stringify({ doi: `=${DOI}` }), design: 'true' });
    const { data } = papersAnswer.parse((await api.get(`/public/dataset/papers?${query.toString()}`)).json);
    for (const spelling of [
      DOI,
      encodeURIComponent(DOI),
      DOI.toUpperCase(),
      `doi:${DOI}`,
      `https://doi.org/${DOI}`,
      `https:/doi.org/${DOI}`,
      encodeURIComponent(`https://dx.doi.org/${DOI}.`),
    ]) {
      const json = await read(`/paper/${spelling}`, JSON_FIRST);
      expect([spelling, json.status, json.json]).toEqual([spelling, 200, data[0]]);
      expect(json.headers.get('vary')).toContain('Accept');
      const text = await pageText(`/paper/${spelling}`);
      expect(text).toContain(`<link rel="canonical" href="${demo.url}/paper/${encodeURIComponent(DOI)}"/>`);
    }
  });

  test('it shows the experiments, the design, a figure, and the citation', async () => {
    const text = await pageText(`/paper/${encodeURIComponent(DOI)}`);
    const page = words(text);
    const query = new URLSearchParams({ filter: JSON.stringify({ doi: `=${DOI}` }), limit: '1000' });
    const { data } = z
      .object({ data: z.array(z.object({ recordId: z.int() })) })
      .parse((await api.get(`/public/dataset?${query.toString()}`)).json);
    const linked = [...text.matchAll(/href="\/record\/(\d+)"/g)].map(([, id]) => Number(id));
    expect(linked).toEqual(data.map(({ recordId }) => recordId));
    expect(page).toContain(`${data.length} experiments with PVDF`);
    expect(text).toMatch(/<b>Voltage<\/b>|<b>Concentration<\/b>|<b>Tip–collector distance<\/b>/);
    expect(text.match(/<svg class="plot runs (wide|narrow)"/g)).toHaveLength(2);
    expect(text).toContain('href="https://doi.org/10.3390/nano10061221"');
    expect(text).toContain('format=bibtex"');
    expect(page).toMatch(/How to cite .*https:\/\/doi\.org\/10\.3390\/nano10061221/);
  });

  test('every paper of the list has a page, also one that is named by its address', async () => {
    const { data } = papersAnswer.parse((await api.get('/public/dataset/papers?limit=1000&repeats=all')).json);
    expect(data.some(({ doi }) => doi.startsWith('https://'))).toBe(true);
    for (const { doi, title, records } of data) {
      const text = words(await pageText(`/paper/${encodeURIComponent(doi)}`));
      expect(text).toContain(words(title ?? doi));
      expect(text).toContain(`${records} experiment`);
    }
  });

  test('a paper without a public record is not found', async () => {
    expect((await read('/paper/10.1000/unknown')).status).toBe(404);
    expectError(await read('/paper/10.1000/unknown', JSON_FIRST), 404, 'ENTRY_NOT_FOUND', /10\.1000\/unknown/);
  });
});

const publicQuery = z.looseObject({ id: z.string(), url: z.string(), digest: z.string(), recordCount: z.int() });

describe('/query', () => {
  const FILTER = { polymer: '=PVDF', fiberDiameterMax: 500 };
  const create = async (body: object) => publicQuery.parse((await api.post('/public/queries', body)).json);

  test('a browser is redirected to the page of a query, and programs get JSON', async () => {
    const { id, url } = await create({ filter: FILTER });
    for (const base of ['', '/api']) {
      const redirect = await read(`${base}/public/queries/${id}`);
      expect([redirect.status, redirect.headers.get('location')]).toEqual([303, `/query/${id}`]);
      expect(redirect.headers.get('cache-control')).toBe('no-cache');
      expect(redirect.headers.get('vary')).toContain('Accept');
    }
    for (const accept of ['*/*', JSON_FIRST, 'text/*', 'application/json, text/html;q=0.9', 'image/png, */*']) {
      const answer = await request(url, { headers: { accept } });
      expect([accept, answer.status, answer.headers.get('content-type')]).toEqual([
        accept,
        200,
        'application/json; charset=utf-8',
      ]);
      expect(answer.headers.get('vary')).toContain('Accept');
    }
    expectError(await api.get('/public/queries/0', { headers: { accept: HTML } }), 404, 'QUERY_NOT_FOUND');
    const json = await read(`/query/${id}`, JSON_FIRST);
    expect(json.json).toEqual((await request(url)).json);
  });

  test('its page has the query in words, a plot, files, and the citation with papers', async () => {
    const { id, recordCount, digest } = await create({ filter: FILTER });
    const text = await pageText(`/query/${id}`);
    const page = words(text);
    expect(page).toContain(`${recordCount} experiments (79 distinct) from 18 papers`);
    expect(page).toContain('Polymer PVDF Fiber diameter ≤ 500\u202fnm');
    expect(page).toContain(digest);
    expect(page).toContain(`How to cite this query`);
    expect(page).toContain(`${demo.url}/public/queries/${id}`);
    expect(text).toContain('href="/explore?polymer=%3DPVDF&amp;fiberDiameterMax=500"');
    const [, placed = ''] = /(\d+) experiments? with both values/.exec(page) ?? [];
    expect(Number(placed)).toBeGreaterThan(0);
    const files = [...text.matchAll(/href="(\/public\/queries\/[^"]+)"/g)].map(([, path = '']) =>
      path.replaceAll('&amp;', '&'),
    );
    expect(files.filter((path) => path.includes('/export?')).length).toBeGreaterThanOrEqual(4);
    for (const path of files.filter((one) => !one.includes('format=zip'))) {
      expect([path, (await request(demo.url + path, { method: 'HEAD' })).status]).toEqual([path, 200]);
    }
  });

  test('the points of the plot are the distinct records of the query', async () => {
    const once = await create({ filter: { polymer: '=PVDF' }, repeats: 'once', version: 'v1.0.0' });
    const all = await create({ filter: { polymer: '=PVDF' }, version: 'v1.0.0' });
    const [ofOnce, ofAll] = await Promise.all(
      [once, all].map(async ({ id }) => {
        const [, count = ''] = /(\d+) experiments? with both values/.exec(words(await pageText(`/query/${id}`))) ?? [];
        return Number(count);
      }),
    );
    expect(ofOnce).toBeLessThanOrEqual(once.recordCount);
    expect(ofAll).toBe(ofOnce);
    expect(words(await pageText(`/query/${once.id}`))).toContain(
      'Of each group of records that repeat each other, the query has the one with the lowest number.',
    );
  });

  test('a query with chosen fields or without a filter has a page', async () => {
    const chosen = await create({ fields: 'recordId,processParameter.voltage', sort: '-voltage' });
    const page = words(await pageText(`/query/${chosen.id}`));
    expect(page).toContain('The query has no filter: it contains every record.');
    expect(page).toContain('Sorted by -voltage. Records have only these members: processParameter.voltage.');
  });

  test.each(['0', '0'.repeat(32)])('the unknown query %s is not found', async (id) => {
    expect((await read(`/query/${id}`)).status).toBe(404);
    expectError(await read(`/query/${id}`, JSON_FIRST), 404, 'QUERY_NOT_FOUND');
  });
});

describe('the head and the foot of a page', () => {
  const PAGES = [...PLAIN_PAGES, '/explore', '/record/207', '/nowhere'];

  test.each(PAGES)('%s has a description, a picture, an icon, and a theme color', async (path) => {
    const { text } = await read(path);
    const [head = ''] = text.split('</head>');
    const content = (name: string): string =>
      new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(head)?.[1] ?? '';
    expect(content('og:title')).not.toBe('');
    expect(content('description').length).toBeGreaterThan(40);
    expect(content('og:description')).toBe(content('description'));
    expect(head.match(/<meta name="description"/g)).toHaveLength(1);
    expect(head.match(/<meta name="theme-color" media="\(prefers-color-scheme: (light|dark)\)"/g)).toHaveLength(2);
    const image = content('og:image');
    expect(image).toMatch(new RegExp(`^${demo.url}/assets/preview-[0-9a-f]{8}\\.png$`));
    const picture = Buffer.from(await (await fetch(image)).arrayBuffer());
    // The signature of a PNG, and its size in the first chunk.
    expect(picture.subarray(0, 4).toString('latin1')).toBe('\u0089PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);
    for (const [, href = ''] of head.matchAll(/<link rel="(?:icon|apple-touch-icon)"[^>]* href="([^"]+)"/g)) {
      expect([href, (await request(demo.url + href)).status]).toEqual([href, 200]);
    }
  });

  test('the foot links to the pages about the dataset', async () => {
    const { text } = await read('/');
    const [, foot = ''] = text.split('<footer');
    const links = [...foot.matchAll(/href="([^"]+)">([^<]+)</g)].map(([, href = '', name = '']) => [name, href]);
    expect(links).toEqual(
      expect.arrayContaining([
        ['About', '/about'],
        ['Data dictionary', '/data-dictionary'],
        ['License', '/about#license'],
        ['Privacy', '/privacy'],
      ]),
    );
    expect((await pageText('/about')).match(/id="license"/g)).toHaveLength(1);
  });

  test('programs find the icon at /favicon.ico', async () => {
    const icon = await request(`${demo.url}/favicon.ico`);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
  });
});
