import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { z } from 'zod';
import { newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { FREEZE_MS, submitRecords, untilPublic } from './support/dataset.ts';
import { query as sql } from './support/database.ts';
import { eventually } from '@esd/testing/eventually';
import { visibleText as words } from './support/visible-text.ts';
import { PLAIN_PAGES } from './support/pages.ts';

const demo = await sharedStack();
const HTML = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };
const read = (path: string, headers: Record<string, string> = HTML.headers) =>
  request(`${demo.url}${path}`, { headers });

/** Returns the URL of each typed link in a Link header, by relation. */
function typedLinks(header: string | null): Map<string, string[]> {
  const links = new Map<string, string[]>();
  for (const [, href = '', rel = ''] of (header ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)) {
    links.set(rel, [...(links.get(rel) ?? []), href]);
  }
  return links;
}

const LANDING = ['/release/v1.0.0', '/release/latest', '/record/207', '/record/207?version=v1.0.0'];

describe('landing pages', () => {
  test.each(LANDING)('%s links to its metadata and files, and every link works', async (path) => {
    const page = await read(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('vary')).toContain('Accept');
    const links = typedLinks(page.headers.get('link'));
    expect(links.get('cite-as')).toEqual([`${demo.url}${path}`]);
    expect(links.get('type')).toEqual(['https://schema.org/Dataset', 'https://schema.org/AboutPage']);
    expect(links.get('license')).toEqual(['https://spdx.org/licenses/CC-BY-4.0']);
    expect(links.get('describedby')?.length).toBe(path.startsWith('/release') ? 11 : 7);
    expect(links.get('item')?.length).toBe(path.startsWith('/release') ? 4 : 1);
    for (const href of [...(links.get('describedby') ?? []), ...(links.get('item') ?? [])]) {
      const answer = await request(href, { method: 'HEAD' });
      // The files of the latest dataset have the URLs of its revision.
      const file = answer.status === 307 ? new URL(answer.headers.get('location') ?? '', href).href : href;
      expect([file, (await request(file, { method: 'HEAD' })).status]).toEqual([file, 200]);
    }
    const [address = ''] = links.get('linkset') ?? [];
    const set = await request(address);
    expect([set.status, set.headers.get('content-type')]).toEqual([200, 'application/linkset+json']);
    const { linkset } = z
      .object({ linkset: z.array(z.looseObject({ anchor: z.string() })) })
      .parse(JSON.parse(set.text));
    expect(linkset[0]).toMatchObject({ anchor: `${demo.url}${path}`, 'cite-as': [{ href: `${demo.url}${path}` }] });
    const described = linkset.filter((context) => 'describes' in context).map(({ anchor }) => anchor);
    expect(described).toEqual(links.get('describedby'));
  });

  test.each(LANDING)('%s describes itself in its head', async (path) => {
    const { text } = await read(path);
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? [];
    expect(JSON.parse(json)).toMatchObject({ '@type': 'Dataset', url: `${demo.url}${path}` });
    expect(text).toContain(`<link rel="canonical" href="${demo.url}${path}"/>`);
    for (const name of [
      'citation_title',
      'citation_author',
      'citation_publication_date',
      'DC.title',
      'DC.identifier',
    ]) {
      expect(text).toContain(`<meta name="${name}" content="`);
    }
  });

  test.each([
    ...PLAIN_PAGES,
    ...LANDING,
    ...['/explore', '/account', '/contribute', '/moderate', '/manage', '/docs/dataset'],
  ])('%s runs only its own files, which are small', async (path) => {
    const { text } = await read(path);
    expect(text).not.toMatch(/ (style|on[a-z]+)="/);
    const addresses: string[] = [];
    for (const [, attributes = ''] of text.matchAll(/<script([^>]*)>/g)) {
      if (/^ type="application\/(ld\+)?json"/.test(attributes)) continue;
      const [, address = ''] = /^(?: type="module")? src="(\/assets\/[^"]+)"$/.exec(attributes) ?? [];
      expect([attributes, address]).not.toEqual([attributes, '']);
      addresses.push(address);
    }
    for (const [, address = ''] of text.matchAll(/<link rel="modulepreload" href="([^"]+)"/g)) addresses.push(address);
    let bytes = 0;
    for (const address of addresses) {
      const { headers } = await request(`${demo.url}${address}`, { headers: { 'accept-encoding': 'gzip' } });
      expect(headers.get('content-encoding')).toBe('gzip');
      bytes += Number(headers.get('content-length'));
    }
    expect(addresses.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(60_000);
  });

  test.each([
    ['*/*', 'text/html; charset=utf-8'],
    ['image/png', 'text/html; charset=utf-8'],
    ['application/ld+json;q=0.5, text/html', 'text/html; charset=utf-8'],
    ['text/html;q=0.5, application/ld+json', 'application/ld+json'],
    [
      'application/ld+json; profile="http://mlcommons.org/croissant/1.1"',
      'application/ld+json; profile="http://mlcommons.org/croissant/1.1"',
    ],
    ['application/vnd.datacite.datacite+xml', 'application/vnd.datacite.datacite+xml'],
    ['application/x-bibtex', 'application/x-bibtex; charset=utf-8'],
    ['application/vnd.citationstyles.csl+json', 'application/vnd.citationstyles.csl+json'],
  ])('a release responds to %s with %s', async (accept, type) => {
    const answer = await read('/release/v1.0.0', { accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  });

  test('clients that prefer JSON get the JSON of the interface', async () => {
    const [version] = z.array(z.unknown()).parse(JSON.parse((await read('/public/dataset/versions', {})).text));
    for (const [path, expected] of [
      ['/release/v1.0.0', version],
      ['/release/latest', expect.objectContaining({ versionIdentifier: 'latest', recordCount: 809, doi: null })],
      ['/record/17', (await read('/public/dataset/records/17', {})).json],
      ['/record/17?version=v1.0.0', (await read('/public/dataset/v1.0.0/records/17', {})).json],
      [
        '/',
        expect.objectContaining({
          newestRelease: 'v1.0.0',
          links: expect.objectContaining({ docs: expect.any(String) }),
        }),
      ],
    ] as const) {
      for (const accept of [
        'application/json',
        'application/json, text/plain, */*',
        'text/html;q=0.5,application/json',
      ]) {
        // The start page omits data that takes longer than a second.
        const answer = await eventually(
          () => read(path, { accept }),
          ({ text }) => !text.includes('"newestRelease":null'),
        );
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
        expect(answer.json).toEqual(expected);
        expect(answer.headers.get('vary')).toContain('Accept');
        const conditional = { accept, 'if-none-match': answer.headers.get('etag') ?? '' };
        await eventually(
          () => read(path, conditional),
          ({ status }) => status === 304,
        );
      }
      // The Accept headers of curl and python-requests, and of browsers.
      for (const accept of [
        '*/*',
        HTML.headers.accept,
        'application/json;q=0.5, text/html',
        'application/json;q=0, */*',
      ]) {
        expect((await read(path, { accept })).headers.get('content-type')).toBe('text/html; charset=utf-8');
      }
    }
  });

  test('a release shows its files with checksums, its papers and its digest', async () => {
    const { text } = await read('/release/v1.0.0');
    const [version] = z
      .array(
        z.looseObject({ digest: z.string(), files: z.array(z.object({ format: z.string(), sha256: z.string() })) }),
      )
      .parse(JSON.parse((await read('/public/dataset/versions', {})).text));
    // The archive of images is empty.
    for (const { format, sha256 } of version?.files ?? []) expect(text.includes(sha256)).toBe(format !== 'zip');
    expect(text).toContain(version?.digest ?? 'no digest');
    expect(text).toContain('57 source papers');
    expect(text).toMatch(
      /10\.1007\/s11814-009-0309-1<\/a><\/small><\/th><td title="PVA">PVA<\/td><td class="number">96</,
    );
    for (const format of ['bibtex', 'csl-json']) {
      expect(text).toContain(`href="/public/dataset/v1.0.0/papers?format=${format}"`);
    }
    // A URL in the DOI field preserves its capitals.
    expect(text).toContain('<a href="https://www.sciencedirect.com/science/article/pii/S0927776511005522" title=');
    expect(words(text)).toContain(
      'Before you use the data 190 of 648 distinct experiments used PVDF. All 32 failed runs used PVDF.',
    );
    expect(words(text)).toContain('Experiments 809 Distinct experiments 648 Papers 57');
    expect(words(text)).toContain(
      '161 experiments repeat an earlier record of the same paper in every published value (22 groups). The other numbers leave them out.',
    );
    expect(text).toContain('This is the first release. There is no previous release to compare it with.');
    expect((await read('/release/latest')).text).toContain('This dataset can change.');
  });

  test.each(LANDING)('%s shows the citation of the metadata in each format', async (path) => {
    const { text } = await read(path);
    const plain = (html: string): string =>
      html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    for (const [format, type] of [
      ['bibtex', 'application/x-bibtex'],
      ['ris', 'application/x-research-info-systems'],
      ['csl-json', 'application/vnd.citationstyles.csl+json'],
    ] as const) {
      const [, shown = ''] = new RegExp(`id="citation-${format}"[^>]*>([^<]*)<`).exec(text) ?? [];
      expect(plain(shown)).toBe((await read(path, { accept: type })).text.trim());
    }
  });

  test('a record shows its values with units, and the fields that were not reported', async () => {
    const { text } = await read('/record/207');
    expect(text).toContain('PVDF from DMSO–Acetone: 1292\u202fnm at 25\u202fkV and 25\u202fcm');
    expect(text).toContain('17\u202fG<small> = 1.07\u202fmm inner diameter</small>');
    expect(text).toContain('unit not stated, read as °C');
    expect(text).toContain('<span class="in-si">25\u202f000\u202fV</span>');
    expect(text).toContain('<span class="in-si">1.292 × 10⁻⁶\u202fm</span>');
    expect(text).toContain('9.44%<small> published as 122\u202fnm</small>');
    expect(text).toContain('not reported');
    expect(text).toContain('href="https://doi.org/10.3390/nano10061221"');
  });

  test('a record shows the position of its values, its paper, and its neighbors', async () => {
    const text = words((await read('/record/207')).text);
    expect(text).toMatch(/Fiber diameter 1292\u202fnm 1.292 × 10⁻⁶\u202fm|Fiber diameter 1292/);
    expect(text).toMatch(/higher than \d+% of 616/);
    expect(text).toContain('26 experiments in this dataset come from this paper.');
    expect(text).toContain('Fiber diameter in nm of 26 experiments with these polymers, solvents, and concentration');
    expect(text).toMatch(/25\u202fcm ✕ not stable 1292 ×2 994 ×2 1012 ×2 666 ×2/);
    expect(text).toContain(
      'Of 189 other distinct experiments with PVDF, the table shows the 20 nearest: 17 stable, 3 not stable, median diameter',
    );
    expect(text).toMatch(/206 0\.06 tip–collector distance 20\u202fcm yes 1343 same paper/);
    expect(text).toMatch(
      /of other experiments\. For PVDF, the median of the nearest records from other papers is typically off/,
    );
    expect(text).toMatch(/Revision Public since Releases 1 \w{3} \d+, \d{4} v1\.0\.0/);
  });

  test('a record names its possible duplicate', async () => {
    const records = z
      .object({ data: z.array(z.looseObject({ recordId: z.int() })) })
      .parse(JSON.parse((await read('/public/dataset?limit=1000&filter=%7B%22polymer%22%3A%22PVDF%22%7D', {})).text));
    const ids = new Map<string, number[]>();
    for (const { recordId, experimentId: _, ...body } of records.data) {
      const key = JSON.stringify(body);
      ids.set(key, [...(ids.get(key) ?? []), recordId]);
    }
    const [first = 0, second = 0] = [...ids.values()].find(({ length }) => length === 2) ?? [];
    const page = words((await read(`/record/${first}`)).text);
    expect(page).toContain(
      `Possible duplicate. Record ${second} is of the same paper and equal in every published value.`,
    );
    expect(words((await read('/record/207')).text)).not.toContain('Possible duplicate');
  });

  test('the start page shows the size of the dataset, its fibers, and how to begin', async () => {
    // Data that takes longer than a second is omitted; the next page has it.
    const { text } = await eventually(
      () => read('/'),
      (page) => page.text.includes('failed runs') && page.text.includes('How to cite'),
    );
    expect(words(text)).toMatch(
      /809 experiments \(648 distinct\) 57 papers 12 polymers 13 solvent systems 32 failed runs/,
    );
    const row = words(text.slice(text.indexOf('<div class="as-table">')));
    expect(row).toMatch(/PVDF 190 158 32 55 501 4800 PVA 141 141 0 87 261 875 PVP 95 95 0 83 357 13\u202f080/);
    expect(text.match(/h0/g)).toHaveLength(2 * 616);
    expect(text).toContain(`curl -G ${demo.url}/public/dataset`);
    expect(text).toContain(`client = Client(&quot;${demo.url}&quot;)`);
    expect(words(text)).toContain('Newest release v1.0.0');
    expect(words(text)).toMatch(/How to cite The authors of electrospinning-data\.org\. \(\d{4}\)/);
    expect(text).toMatch(/href="\/explore\?doi=%3D10\.[^"]+" rel="nofollow">\d+ [A-Z]+ experiments?</);
  });

  test.each(['/record/abc', '/record/1?version=v9.9.9', '/release/v9.9.9'])(
    '%s returns an error page to browsers and the common error body to programs',
    async (path) => {
      const page = await read(path);
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>Page not found</h1>');
      const answer = await read(path, { accept: 'application/json' });
      expect(answer.json).toMatchObject({ success: false, code: expect.stringMatching(/_NOT_FOUND$/) });
    },
  );

  test('a page is compressed, with the same content and its own tag in each encoding', async () => {
    for (const path of LANDING) {
      const plain = await fetch(demo.url + path, { headers: { ...HTML.headers, 'accept-encoding': 'identity' } });
      const text = await plain.text();
      expect(plain.headers.get('cache-control')).toBe('no-cache');
      const tags = new Set([plain.headers.get('etag')]);
      for (const encoding of ['br', 'gzip']) {
        const headers = { ...HTML.headers, 'accept-encoding': encoding };
        const packed = await fetch(demo.url + path, { headers });
        expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([
          encoding,
          'Accept, Accept-Encoding',
        ]);
        expect(Number(packed.headers.get('content-length'))).toBeLessThan(text.length / 2);
        expect(packed.headers.get('link')).toBe(plain.headers.get('link'));
        expect((await packed.text()) === text).toBe(true);
        const tag = packed.headers.get('etag') ?? '';
        tags.add(tag);
        const revalidated = await fetch(demo.url + path, { headers: { ...headers, 'if-none-match': tag } });
        expect([revalidated.status, revalidated.headers.get('etag'), await revalidated.text()]).toEqual([304, tag, '']);
      }
      expect(tags.size).toBe(3);
    }
  });
});

test('crawlers find every page of the dataset', async () => {
  const robots = (await read('/robots.txt')).text;
  expect(robots).toContain(`Sitemap: ${demo.url}/sitemap.xml`);
  for (const path of ['/explore?', '/search?', '/docs?', '/public/dataset?', '/api/', '/session'])
    expect(robots).toContain(`Disallow: ${path}\n`);
  const locations = (text: string): string[] => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, at = '']) => at);
  const parts = locations((await read('/sitemap.xml')).text);
  const all = (await Promise.all(parts.map(async (part) => locations((await request(part)).text)))).flat();
  expect(all).toEqual(expect.arrayContaining([`${demo.url}/`, `${demo.url}/releases`, `${demo.url}/release/v1.0.0`]));
  expect(all).toEqual(expect.arrayContaining([`${demo.url}/docs`, `${demo.url}/docs/personal-snapshots`]));
  expect(all).toEqual(
    expect.arrayContaining(['/about', '/privacy', '/data-dictionary'].map((path) => demo.url + path)),
  );
  expect(all.filter((at) => at.includes('/record/'))).toHaveLength(809);
  const { data } = z
    .object({ data: z.array(z.looseObject({ doi: z.string() })) })
    .parse((await apiAt(demo.url).get('/public/dataset/papers?limit=1000')).json);
  expect(all).toEqual(expect.arrayContaining(data.map(({ doi }) => `${demo.url}/paper/${encodeURIComponent(doi)}`)));
  expect(all.filter((at) => at.includes('/query/'))).toEqual([]);
  for (const part of ['records', 'papers']) expect((await read(`/sitemap-${part}-2.xml`)).status).toBe(404);
  const catalog = await read('/.well-known/api-catalog');
  expect(catalog.headers.get('content-type')).toMatch(/^application\/linkset\+json; profile=/);
  expect(catalog.text).toContain(`${demo.url}/openapi.json`);
});

test.each(['/robots.txt', '/sitemap.xml', '/sitemap-records-1.xml', '/.well-known/api-catalog', '/record/1/linkset'])(
  '%s exists at the root only',
  async (path) => {
    const { status, headers } = await read(`/api${path}`);
    expect([status, headers.get('location')]).toEqual([308, path]);
  },
);

describe('the search box', () => {
  const search = (text: string, as?: string) =>
    read(`/search?${new URLSearchParams({ q: text, ...(as === undefined ? {} : { as }) }).toString()}`);

  test.each([
    ['PVDF rotating < 500 nm', '/explore?polymer=%3DPVDF&collectorType=rotating&fiberDiameterMax=500'],
    [' 207 ', '/record/207'],
    ['doi:10.3390/NANO10061221', '/explore?doi=%3D10.3390%2Fnano10061221'],
    ['', '/explore'],
  ])('%j leads to %s', async (text, location) => {
    const { status, headers } = await search(text);
    expect([status, headers.get('location')]).toEqual([302, location]);
  });

  test('an ambiguous word leads to a question, an unknown word is reported, and both pages continue the search', async () => {
    const { status, text } = await search('PVFD PVDF 150 mm flat');
    expect(status).toBe(200);
    expect(text).toContain('<meta name="robots" content="noindex"/>');
    expect(words(text)).toContain('Interpreted as Polymer PVDF Show 351 experiments');
    expect(words(text)).toContain('No match for “PVFD”. Did you mean PVDF, PVF or PVFM ?');
    expect(text).toContain('href="/search?q=PVF+PVDF+150+mm+flat"');
    expect(words(text)).toContain('“150 mm”: Needle inner diameter 150\u202fmm · Tip–collector distance 15\u202fcm');
    expect(text).toContain('href="/search?q=PVFD+PVDF+150+mm+flat&amp;as=1%2C"');
    const chosen = words((await search('PVFD PVDF 150 mm flat', '1,')).text);
    expect(chosen).toContain('Interpreted as Polymer PVDF Tip–collector distance 15\u202fcm Show');
    expect(chosen).toContain('“flat”: Morphology Ribbon · Collector flat');
    const { headers } = await search('150 mm flat', '1,1');
    expect(headers.get('location')).toBe('/explore?tipDistMin=15&tipDistMax=15&collectorType=flat');
  });

  test('a hostile text is displayed as text', async () => {
    const hostile = `</title><img src=x onerror=alert(1)>"'&\u2028`;
    const { status, text } = await search(hostile);
    expect(status).toBe(200);
    expect(text).not.toContain('<img src=x');
    expect(text).toContain('&lt;img src=x onerror=alert(1)>');
  });
});

test('/feedback is a form for browsers, and the list of administrators for other clients', async () => {
  const form = await read('/feedback?record=207');
  expect([form.status, form.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(form.text).toContain('<h1>Report a problem with record 207</h1>');
  expect((await read('/feedback?record=%3Cimg')).text).toContain('<h1>Give feedback</h1>');
  for (const [path, accept] of [
    ['/feedback', 'application/json'],
    ['/feedback', '*/*'],
    ['/api/feedback', 'text/html'],
  ] as const) {
    const list = await read(path, { accept });
    expect([path, list.status, list.json]).toEqual([path, 401, expect.objectContaining({ code: 'AUTH_REQUIRED' })]);
  }
  const allow = await request(`${demo.url}/feedback`, { method: 'OPTIONS' });
  expect(allow.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});

describe('with user input', () => {
  let stack: TestStack;
  let api: Api;
  let admin: string;
  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    admin = (await newAdmin(stack, api)).token;
  });
  afterAll(() => stack.stop());

  const publish = async (title: string, { doi = '10.1000/pages', ...more }: { doi?: string } = {}): Promise<number> => {
    const submission = { userMetadata: anonymousSubmitter, experimentData: [{ ...recordAt(12), ...more }] };
    const research = { publicationTitle: title, doi };
    const [id = 0] = await submitRecords(api, { ...submission, researchMetadata: research });
    const approved = await api.post(`/moderation/records/${id}/approve`, {}, { bearer: admin });
    expect(approved.status).toBe(200);
    await untilPublic(api, [id]);
    return id;
  };

  test('hostile texts are displayed as text', async () => {
    const title = `</script><img src=x onerror=alert(1)>"'&\u2028<!--`;
    const doi = `10.1000/hostile.${Date.now()}"><img src=x onerror=alert(2)>`.replaceAll(' ', '%20');
    const more = { needleProperty: { needleType: title }, collectorProperty: { collectorType: title } };
    const id = await publish(title, { doi, ...more });
    const made = await api.post('/public/queries', { filter: { doi: `=${doi}`, collectorType: 'onerror' } });
    const query = z.looseObject({ id: z.string() }).parse(made.json).id;
    const read = async (path: string): Promise<string> => (await request(stack.url + path, HTML)).text;
    const pages = new Map<string, string>();
    for (const path of [
      ...['/', '/explore', '/search?q=onerror', `/feedback?record=${id}`, '/release/latest', '/contributors'],
      ...['/about', '/privacy', '/data-dictionary', `/record/${id}`, `/query/${query}`],
      ...[doi, title].map((name) => `/paper/${encodeURIComponent(name)}`),
    ]) {
      const text = await read(path);
      expect([path, text.includes('<img src=x'), / (style|on[a-z]+)="/.test(text)]).toEqual([path, false, false]);
      pages.set(path, text);
    }
    for (const path of [`/record/${id}`, `/paper/${encodeURIComponent(doi)}`]) {
      expect(pages.get(path)).toContain('&lt;img src=x onerror=alert(1)>');
    }
    for (const [path, text] of [
      [`/record/${id}`, '<img src=x onerror=alert(1)>'],
      [`/query/${query}`, 'onerror'],
    ] as const) {
      const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(pages.get(path) ?? '') ?? [];
      expect(json).not.toMatch(/[<>&\u2028]/);
      expect(JSON.stringify(JSON.parse(json))).toContain(text);
    }
  });

  test('a record shows the changes of each revision, and the releases that contain it', async () => {
    const [id = 0] = await submitRecords(api, { experimentData: [recordAt(21)] }, admin);
    const approve = async (): Promise<void> => {
      expect((await api.post(`/moderation/records/${id}/approve`, {}, { bearer: admin })).status).toBe(200);
    };
    await approve();
    await untilPublic(api, [id]);
    const first = words((await request(`${stack.url}/record/${id}`, HTML)).text);
    expect(first).toMatch(/History Revision Public since Releases 1 \w+ \d+, \d+ none/);
    expect(first).not.toContain('Changes in revision');
    const changed = { ...recordAt(22), ambientParameter: { temperature: 20, temperatureUnit: '°C' } };
    expect((await api.put(`/data/update/${id}`, { experimentData: [changed] }, { bearer: admin })).status).toBe(200);
    await approve();
    const { text } = await eventually(
      () => request(`${stack.url}/record/${id}`, HTML),
      (page) => page.text.includes('revision 2'),
    );
    expect(words(text)).toContain('Changes in revision 2 (3 fields)');
    expect(text).toContain('<th scope="row">Process: voltage</th><td><del>21</del></td><td><ins>22</ins></td>');
    expect(text).toMatch(/<td><span class="muted">not reported<\/span><\/td><td><ins>20<\/ins>/);
    expect(words(text)).toMatch(/Revision Public since Releases 2 [\w ,]+ none 1 /);
  });

  test('a release shows its changes, and its new DOI resolves immediately', async () => {
    const freeze = async (identifier: string): Promise<number> => {
      const started = await api.post('/admin/versions', { versionIdentifier: identifier }, { bearer: admin });
      expect(started.status).toBe(202);
      const { id } = z.looseObject({ id: z.int() }).parse(started.json);
      await eventually(
        async () => (await api.get(`/admin/versions/${id}`, { bearer: admin })).text,
        (found) => found.includes('"FROZEN"'),
        FREEZE_MS,
      );
      return id;
    };
    const major = Math.floor(Date.now() / 1_000) % 1_000_000;
    await publish('Before');
    await freeze(`v${major}.0.0`);
    const added = await publish('After');
    const id = await freeze(`v${major}.1.0`);
    const path = `/release/v${major}.1.0`;
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await sql(
      stack.databaseUrl('esd_export'),
      `insert into usage_day values ('${yesterday}', 'v${major}.1.0', 'view', 1204), ('${yesterday}', 'v${major}.1.0', 'csv', 1)`,
    );
    const page = await request(stack.url + path, HTML);
    expect(page.text).toContain('1204 views, 1 download in the 30 days up to yesterday.');
    expect(page.text).toContain('range requests) are not counted.');
    expect(page.text).toContain(`Changes since v${major}.0.0`);
    expect(page.text).toContain('<b>+1</b> added');
    expect(page.text).toContain(`Added: <a href="/record/${added}?version=v${major}.1.0">${added}</a>.`);
    // Later changes are on the page of the latest dataset.
    const edited = { ...recordAt(44), researchMetadata: { publicationTitle: '<b>Later</b>', doi: '10.1000/pages' } };
    const [own = 0] = await submitRecords(api, { experimentData: [recordAt(43)] }, admin);
    const approve = () => api.post(`/moderation/records/${own}/approve`, {}, { bearer: admin });
    expect((await approve()).status).toBe(200);
    await untilPublic(api, [own]);
    await freeze(`v${major}.2.0`);
    expect((await api.put(`/data/update/${own}`, { experimentData: [edited] }, { bearer: admin })).status).toBe(200);
    expect((await approve()).status).toBe(200);
    const latest = await eventually(
      () => request(`${stack.url}/release/latest`, HTML),
      ({ text }) => text.includes('<b>1</b> changed'),
    );
    expect(latest.text).toMatch(
      new RegExp(`<th scope="rowgroup" rowspan="\\d">\\s*<a href="/record/${own}">${own}</a>`, 'i'),
    );
    expect(latest.text).toContain('<th scope="row">Process: voltage</th><td><del>43</del></td><td><ins>44</ins></td>');
    expect(latest.text).toContain('&lt;b>Later&lt;/b>');
    expect((await request(`${stack.url}/record/${added}`, HTML)).text).toContain(`>v${major}.1.0</a>`);
    const doi = `10.1000/release.${major}`;
    // In each representation of the page, all of which were requested before.
    const inAll = async (): Promise<boolean[]> => {
      const types = [
        ...[
          'text/html',
          'application/json',
          'application/ld+json',
          'application/x-bibtex',
          'text/plain',
          'text/markdown',
        ],
        ...['application/ld+json; profile="http://mlcommons.org/croissant/1.1"', 'application/vnd.datapackage+json'],
        ...['application/vnd.datacite.datacite+json', 'application/vnd.datacite.datacite+xml'],
        ...['application/x-research-info-systems', 'application/vnd.citationstyles.csl+json'],
      ];
      const texts = await Promise.all(types.map((accept) => request(stack.url + path, { headers: { accept } })));
      return texts.map(({ text }) => text.includes(doi));
    };
    expect(new Set(await inAll())).toEqual(new Set([false]));
    expect((await api.patch(`/admin/versions/${id}`, { doi }, { bearer: admin })).status).toBe(200);
    expect(new Set(await inAll())).toEqual(new Set([true]));
    for (const name of [doi, encodeURIComponent(doi)]) {
      const led = await request(`${stack.url}/release/${name}`, HTML);
      expect([led.status, led.headers.get('location')]).toEqual([302, path]);
    }
    const now = await request(stack.url + path, HTML);
    expect(now.text).toContain(`<meta name="citation_doi" content="${doi}"/>`);
    expect(typedLinks(now.headers.get('link')).get('cite-as')).toEqual([`https://doi.org/${doi}`]);
  });
});
