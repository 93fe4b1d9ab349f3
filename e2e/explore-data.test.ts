import { describe, expect, test } from '@jest/globals';
import { request } from '@esd/testing/http';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { apiAt } from './support/api.ts';

const { url } = await sharedStack();

const JSON_TYPE = { headers: { accept: 'application/json' } };
const HTML = { headers: { accept: 'text/html' } };
const FILTER = { polymer: '=PVDF', voltageMin: 5, voltageMax: 30 };
const CHOSEN = 'polymer=%3DPVDF&voltageMin=5&voltageMax=30';

const object = z.record(z.string(), z.unknown());
/** Returns a member of a response that is an object. */
const member = (value: unknown, name: string) => object.parse(object.parse(value)[name]);
const read = async (path: string) => object.parse((await apiAt(url).get(path, JSON_TYPE)).json);
/** Returns the response of the API to the same query. */
const api = (name: string, parameters: Record<string, string> = {}) =>
  read(`/public/dataset/${name}?${new URLSearchParams({ ...parameters, filter: JSON.stringify(FILTER) }).toString()}`);

const counts = { count: z.int(), papers: z.int(), stable: z.int(), unstable: z.int() };
const axis = z.looseObject({ edges: z.array(z.number()), eachValue: z.boolean().optional() });
const totals = z.strictObject({ total: z.int(), placed: z.int() });
const window = z.looseObject({
  ...totals.shape,
  records: z.int(),
  x: axis,
  y: axis,
  tried: totals.optional(),
  cells: z.array(
    z.strictObject({
      ...counts,
      i: z.int(),
      j: z.int(),
      fiberDiameter: object,
      tried: z.strictObject(counts).optional(),
    }),
  ),
});
const figures = z.looseObject({ count: z.int() });
const facet = z.looseObject({ values: z.array(z.looseObject({ count: z.int() })) });
const nearestShape = z.looseObject({
  neighbors: z.array(
    z.looseObject({
      recordId: z.int(),
      repeats: z.array(z.int()).optional(),
      parts: z.looseObject({ polymer: z.looseObject({ value: z.array(z.string()) }) }),
    }),
  ),
});

describe('the data of /explore', () => {
  test('are the responses of the API, in one response', async () => {
    const names = 'facets,statistics,histogram.voltage,grid,points,coverage,nearest,records,compared,summary';
    const recipe = 'recipe.polymer=PVDF&recipe.voltage=15';
    const data = await read(`/explore?${CHOSEN}&sort=-fiberDiameter&page=2&compare=3,602&${recipe}&parts=${names}`);
    const { facets, records: all } = await api('facets', { limit: '100' });
    const { polymer: _polymer, solvent: _solvent, ...plain } = object.parse(facets);
    expect(member(data['facets'], 'facets')).toMatchObject(plain);
    expect([data['total'], data['size']]).toEqual([all, 809]);
    expect(data['statistics']).toEqual(await api('statistics'));
    const histogram = await api('histogram', { feature: 'voltage', bins: '24' });
    expect(histogram).toMatchObject(member(data['histograms'], 'voltage'));
    const axes = { x: 'concentration', y: 'fiberDiameter', color: 'solventSystem', nulls: 'true' };
    const points = object.parse(data['points']);
    expect(points).toEqual(await api('points', axes));
    for (const [panels, color] of [
      ['polymer', 'polymer'],
      ['solvent', 'solventSystem'],
    ] as const) {
      const split = await read(`/explore?${CHOSEN}&panels=${panels}&parts=points`);
      const { color: names } = object.parse(await api('points', { ...axes, color }));
      expect(member(split, 'points')).toMatchObject({ ...points, panel: names });
    }
    expect(await api('coverage', { by: 'polymer', limit: '40' })).toMatchObject(member(data, 'coverage'));
    const nearest = await api('nearest', { recipe: '{"polymer":"PVDF","voltage":15}' });
    expect(data['nearest']).toEqual(nearest);
    const page = await read(
      `/public/dataset?${new URLSearchParams({ sort: '-fiberDiameter', skip: '15', limit: '15', normalized: 'true', filter: JSON.stringify(FILTER) }).toString()}`,
    );
    const records = z.array(z.object({ recordId: z.int(), normalized: object }));
    expect(records.parse(data['records'])).toEqual(records.parse(page['data']));
    const whole = await read('/public/dataset/records/3');
    expect(data['compared']).toMatchObject([
      { recordId: 3, fiberProperty: member(whole['data'], 'fiberProperty'), normalized: whole['normalized'] },
      { recordId: 602 },
    ]);
    expect(data['summary']).toEqual(await api('summary'));
    expect(data['summary']).toMatchObject({
      papers: 29,
      stable: { yes: 135, no: 32 },
      repeats: { records: 161, groups: 22 },
    });
  });

  test('name the build of the pages, as the page itself does', async () => {
    const { headers } = await request(`${url}/explore?parts=summary`, JSON_TYPE);
    const { text } = await request(`${url}/explore`, HTML);
    expect(text).toContain(`"build":"${headers.get('ESD-Web-Build') ?? ''}"`);
  });

  test('have a processing window of the tried records, in bins that people expect', async () => {
    const thin = 'polymer=%3DPVDF&fiberDiameterMax=500';
    const windowAt = async (query: string, part = 'grid') =>
      window.parse((await read(`/explore?${query}&parts=${part}`))['grid']);
    const { x, y, cells, tried, total, records, placed } = await windowAt(thin);
    expect([x.edges, x.eachValue]).toEqual([[2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 32.5, 37.5, 42.5, 47.5, 52.5], false]);
    const distances = [7, 10, 12, 14, 15, 16, 17, 17.5, 18, 20, 25, 27.7, 30, 35];
    expect([y.edges, y.eachValue]).toEqual([[...distances, 35], true]);
    expect({ tried, total, records, placed }).toEqual({
      tried: { total: 190, placed: 190 },
      ...{ total: 79, records: 173, placed: 79 },
    });
    const none = cells.filter(({ count }) => count === 0);
    const failed = cells.reduce((sum, cell) => sum + (cell.tried?.unstable ?? 0), 0);
    expect([cells.length, none.length, failed]).toEqual([47, 19, 32]);
    expect(cells.find(({ i, j }) => i === 2 && j === 4)).toMatchObject({
      count: 22,
      tried: { count: 39, unstable: 7 },
    });
    const narrow = await windowAt(thin, 'narrowGrid');
    expect([narrow.x.edges, narrow.y.edges.length <= 9]).toEqual([[0, 10, 20, 30, 40, 50], true]);
    // Without a result in the filter, the tried records are the matching ones.
    expect((await windowAt('polymer=%3DPVDF')).tried).toBeUndefined();
    // Bins of one width are those of the API.
    const bounds = { xMin: '2.5', xMax: '52.5', xBins: '10', yMin: '9', yMax: '31', yBins: '11' };
    const filter = JSON.stringify({ polymer: '=PVDF', fiberDiameterMax: 500 });
    const axes = { x: 'voltage', y: 'concentration', tried: 'true', ...bounds, filter };
    const query = new URLSearchParams(axes).toString();
    const [all, once] = [
      window.parse(await read(`/public/dataset/grid?${query}&repeats=all`)).cells,
      window.parse(await read(`/public/dataset/grid?${query}`)).cells,
    ];
    const cellsAt = async (repeats: string) => (await windowAt(`${thin}&mapY=concentration${repeats}`)).cells;
    expect(await cellsAt('&repeats=all')).toEqual(all);
    expect(await cellsAt('')).toEqual(once);
    expect(once).not.toEqual(all);
  });

  test('count repeats once unless the URL says otherwise, and list every record', async () => {
    const counts = async (repeats: string) => {
      const parts = 'parts=summary,facets,statistics,records';
      const data = await read(`/explore?polymer=%3DPVDF${repeats}&tab=table&${parts}`);
      const { voltage } = z.looseObject({ voltage: figures }).parse(member(data['statistics'], 'statistics'));
      const { doi } = z.looseObject({ doi: facet }).parse(member(data['facets'], 'facets'));
      const distinct = member(data, 'summary')['total'];
      return [data['total'], distinct, voltage.count, doi.values.reduce((sum, { count }) => sum + count, 0)];
    };
    expect(await counts('')).toEqual([351, 190, 190, 190]);
    expect(await counts('&repeats=once')).toEqual([351, 190, 190, 190]);
    expect(await counts('&repeats=all')).toEqual([351, 351, 351, 351]);
    const neighbors = async (repeats: string) => {
      const recipe = 'recipe.voltage=15&recipe.tipDist=15&recipe.concentration=20';
      const { nearest } = await read(`/explore?polymer=%3DPVDF&${recipe}${repeats}&parts=nearest`);
      return nearestShape.parse(nearest).neighbors;
    };
    // The recipe has the polymer of the filter.
    const distinct = await neighbors('');
    expect(distinct.map(({ parts }) => parts.polymer.value)).toEqual(Array.from({ length: 20 }, () => ['PVDF']));
    const repeated = distinct.flatMap(({ repeats = [] }) => repeats);
    expect(repeated.length).toBeGreaterThan(0);
    const listed = await neighbors('&repeats=all');
    expect(listed.some(({ recordId }) => repeated.includes(recordId))).toBe(true);
  });

  test('count the names of a substance as one value, and a filter by any of them finds all', async () => {
    const line = z.object({ value: z.string(), count: z.int() });
    const lines = z.object({ solvent: z.object({ values: z.array(line), distinct: z.int(), missing: z.int() }) });
    const { facets, knownSubstances } = await read('/explore?parts=facets&repeats=all');
    const { solvent } = lines.parse(member(facets, 'facets'));
    expect(solvent.values.find(({ value }) => value === 'ACETONE')).toEqual({ value: 'ACETONE', count: 349 });
    expect(solvent.values.some(({ value }) => value === 'AC')).toBe(false);
    expect(solvent.distinct).toBe(solvent.values.length);
    expect(knownSubstances).toEqual(
      expect.arrayContaining([
        { key: 'polymer', value: 'PVDF', name: 'Poly(vinylidene fluoride) (PVDF)', shortName: 'PVDF' },
        { key: 'solvent', value: 'AC', name: 'Acetone', shortName: 'Acetone' },
      ]),
    );
    for (const name of ['ACETONE', 'AC', 'ACETONE%7CACETON%7CAC']) {
      expect((await read(`/explore?solvent=%3D${name}&parts=summary`))['total']).toBe(349);
    }
    expect((await request(`${url}/explore`, HTML)).text).toContain('solvent=%3DACETONE"');
    // A link that names them one by one selects the one value, and its line removes all of them.
    const chosen = await request(`${url}/explore?solvent=%3DACETONE%7CACETON%7CAC`, HTML);
    expect(chosen.text).toMatch(/<i>Solvent<\/i> Acetone<\/span>/);
    expect(chosen.text).toMatch(/href="\/explore"[^>]*><span><span title="ACETONE">Acetone<\/span> ✓/);
    const { facets: listed } = await read('/public/dataset/facets?keys=solvent&repeats=all');
    expect(lines.parse(listed).solvent.values).toContainEqual({ value: 'ACETONE', count: 349 });
    // Records keep the published names.
    expect((await request(`${url}/public/dataset/export?format=csv`)).text).toMatch(/[,-]AC[,-]/);
  });

  test('name the papers that are shown, and the facets of their year and journal', async () => {
    const { text } = await request(`${url}/explore`, HTML);
    expect(text).toMatch(/<h3 id="facet-year">Year<\/h3>/);
    expect(text).toMatch(/<h3 id="facet-journal">Journal<\/h3>/);
    expect(text).toMatch(/<small title="[^"]*">Baqeri et al., 2015, Journal of Applied Polymer Science<\/small>/);
    const table = await request(`${url}/explore?doi=%3D10.1002%2Fapp.42304&tab=table`, HTML);
    expect(table.text).toMatch(
      /<td class="paper"><span class="paper-reference"><a href="\/paper\/10.1002%2Fapp.42304" title="Influence/,
    );
    expect(table.text).toMatch(/<i>Paper<\/i> Baqeri et al., 2015<\/span>/);
    for (const format of ['bibtex', 'csl-json']) {
      const [, address = ''] =
        new RegExp(`href="([^"]*papers[^"]*format=${format})"`).exec(table.text.replaceAll('&amp;', '&')) ?? [];
      const file = await request(`${url}${address}`);
      expect([file.status, file.text.includes('10.1002/app.42304')]).toEqual([200, true]);
    }
    const columns = await request(`${url}/explore?columns=year,journal,doi&doi=%3D10.1002%2Fapp.42304`, HTML);
    expect(columns.text).toMatch(/<td>2015<\/td><td>Journal of Applied Polymer Science<\/td>/);
    const unknown = await request(`${url}/explore?doi=%3D10.1007%2Fbf03218855&parts=facets`, JSON_TYPE);
    const { facets } = object.parse(JSON.parse(unknown.text));
    expect(member(member(facets, 'facets'), 'journal')).toMatchObject({ distinct: 0 });
    expect((await request(`${url}/explore?doi=%3D10.1007%2Fbf03218855`, HTML)).text).not.toContain('facet-journal');
  });

  test('list the papers behind a filter', async () => {
    const papers = z.object({
      total: z.int(),
      withoutPaper: z.int(),
      data: z.array(z.looseObject({ doi: z.string(), records: z.int() })),
    });
    const found = await read(`/explore?${CHOSEN}&parts=papers`);
    const { total, withoutPaper, data: rows } = papers.parse(found['papers']);
    const coverage = z
      .object({ rows: z.array(z.object({ value: z.string().nullable(), count: z.int() })) })
      .parse(await api('coverage', { by: 'doi', limit: '1000' }));
    const named = coverage.rows.filter(({ value }) => value !== null);
    expect(rows.map(({ doi, records }) => [doi, records])).toEqual(named.map(({ value, count }) => [value, count]));
    expect([total, withoutPaper]).toEqual([29, coverage.rows.find(({ value }) => value === null)?.count ?? 0]);
    expect(papers.parse((await read(`/explore?${CHOSEN}&parts=allPapers`))['papers']).data).toEqual(rows);
  });

  test('are only the requested parts, of the requested state', async () => {
    const answer = await request(`${url}/explore?${CHOSEN}&parts=histogram.flowRate`, JSON_TYPE);
    expect(answer.headers.get('ratelimit-policy') ?? '"pages"').toContain('"pages"');
    const data = object.parse(JSON.parse(answer.text));
    expect(Object.keys(data).sort()).toEqual(['cited', 'histograms', 'ignored', 'revision', 'size', 'total']);
    expect(Object.keys(member(data, 'histograms'))).toEqual(['flowRate']);
    const frozen = await read('/explore?version=v1.0.0&parts=records');
    const { datasetRevision } = z
      .array(z.looseObject({ versionIdentifier: z.string(), datasetRevision: z.int() }))
      .parse(JSON.parse((await request(`${url}/public/dataset/versions`)).text))
      .find(({ versionIdentifier }) => versionIdentifier === 'v1.0.0') ?? { datasetRevision: 0 };
    expect([frozen['revision'], frozen['total'], frozen['ignored']]).toEqual([datasetRevision, 809, []]);
    const wrong = await request(`${url}/explore?parts=cake`, JSON_TYPE);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('INVALID_PARAMETER')]);
  });

  test('report ignored parts of the URL and unknown names in a recipe', async () => {
    const { ignored, total } = await read('/explore?polymr=PVDF&voltageMin=much&version=v9.9.9&parts=summary');
    expect([ignored, total]).toEqual([['polymr=PVDF', 'voltageMin=much', 'version=v9.9.9'], 809]);
    const { nearest, summary } = await read('/explore?recipe.polymer=Cake&parts=nearest,summary');
    expect([nearest, summary]).toEqual([expect.stringContaining('Cake'), expect.objectContaining({ papers: 57 })]);
  });

  test('report the number of records without each part of a filter that matches nothing', async () => {
    const { total, without } = await read('/explore?polymer=%3DPLA&voltageMin=45&parts=summary');
    expect([total, without]).toEqual([0, { polymer: expect.any(Number), voltage: 8 }]);
  });
});

describe('the page /explore without script', () => {
  test('shows all parts, with links and forms that work', async () => {
    const page = await request(`${url}/explore?${CHOSEN}&sort=fiberDiameter`, HTML);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const { text } = page;
    expect(text).toMatch(/<h1[^>]*>328 experiments \(167 distinct\)<\/h1>/);
    expect(text).toContain('<meta name="robots" content="noindex"/>');
    expect(text).not.toMatch(/ style="/);
    const links = [...text.matchAll(/<a ([^>]*)>/g)].map(([, attributes = '']) => attributes.replaceAll('&amp;', '&'));
    const views = links.filter((attributes) => attributes.includes('href="/explore?'));
    expect(views.length).toBeGreaterThan(50);
    for (const attributes of views) expect(attributes).toContain('rel="nofollow"');
    const addressOf = (part: string): string =>
      /href="([^"]*)"/.exec(links.find((attributes) => attributes.includes(part)) ?? '')?.[1] ?? '';
    const next = await request(`${url}${addressOf('page=2')}`, HTML);
    expect(next.text).toContain('16–30');
    const both = await request(`${url}${addressOf('polymer=%3DPVDF%7CPVA')}`, HTML);
    expect(both.text).toMatch(/<h1[^>]*>469 experiments \(308 distinct\)<\/h1>/);
    const file = await request(`${url}${addressOf('format=csv')}`);
    expect([file.status, file.text.trim().split('\n').length]).toEqual([200, 329]);
    const form = await request(`${url}/explore?polymer=%3DPVDF&voltageMin=&voltageMax=10`, HTML);
    expect(form.text).not.toContain('Ignored URL parameter');
    expect((await request(`${url}/explore`, HTML)).text).not.toContain('noindex');
  });

  test('reports that nothing matches, and the unknown parts of the URL', async () => {
    const { text } = await request(`${url}/explore?polymer=%3DPLA&voltageMin=45&tab=cake`, HTML);
    expect(text).toContain('No experiment matches both filters.');
    expect(text).toContain('Ignored URL parameter: tab=cake');
  });
});
