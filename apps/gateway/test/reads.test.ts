import { afterEach, describe, expect, test } from '@jest/globals';
import { RULES } from '@esd/record/rules';
import type { QueryRecordsRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { type GetListsRequest, Lists } from '@esd/proto/esd/dataset/v1/reference';
import { closeAll, exchange, freePort, get, startUpstream, startGateway } from './upstream-servers.ts';

afterEach(closeAll);

const state = { datasetId: 'one', revision: 7, recordCount: 3 };

/** A dataset of three records whose bytes a parser would change. */
async function startDataset(now = state, env: NodeJS.ProcessEnv = {}) {
  const requests: QueryRecordsRequest[] = [];
  const { port } = await startUpstream({
    dataset: {
      getHead: () => Promise.resolve({ state: now }),
      queryRecords: (request) => {
        requests.push(request);
        const recordsJson = Buffer.from('{"recordId":1,"x":1.50},{"recordId": 2}');
        return Promise.resolve({ state: now, total: now.recordCount, recordsJson, records: 2, rules: RULES });
      },
    },
  });
  return { gateway: await startGateway({ ports: [port], env }), requests };
}

describe('GET /public/dataset', () => {
  test.each(['/public/dataset', '/public/dataset/latest', '/api/public/dataset', '/api/public/dataset/latest'])(
    '%s answers a page with the bytes of its records unchanged',
    async (path) => {
      const { gateway, requests } = await startDataset();
      const answer = await get(`${gateway.url}${path}?limit=2`);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(
        '{"data":[{"recordId":1,"x":1.50},{"recordId": 2}],"total":3,"skip":0,"limit":2,"version":"latest"}',
      );
      expect(requests).toEqual([{ skip: 0, limit: 2, sort: [], normalized: false, fields: [], once: false }]);
      const { headers } = answer;
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('link')).toBe(
        `<${path}?skip=0&limit=2>; rel="first", <${path}?skip=2&limit=2>; rel="next", <${path}?skip=2&limit=2>; rel="last"`,
      );
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test.each(['/public/dataset', '/api/public/dataset/latest'])(
    '%s links below the public URL, also from a cached page, regardless of Host',
    async (path) => {
      const { gateway, requests } = await startDataset(state, { ESD_PUBLIC_URL: 'https://esd.example.org/data/' });
      const links = [];
      for (const target of [`${path}?limit=2`, `http://evil.example${path}?limit=2`]) {
        const text = await exchange(
          gateway.port,
          `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
        );
        links.push(/^Link: <([^>]+)>/m.exec(text)?.[1]);
      }
      const first = `https://esd.example.org/data${path}?skip=0&limit=2`;
      expect(links).toEqual([first, first]);
      expect(requests).toHaveLength(1);
    },
  );

  test('is 304 for a caller that has the page', async () => {
    const { gateway, requests } = await startDataset();
    const url = `${gateway.url}/public/dataset?limit=2`;
    const tag = (await get(url)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^".+"$/);
    for (const header of [tag, `W/${tag}`, `"other", ${tag} ,W/"third"`, `"a,b",W/${tag}`]) {
      const again = await get(url, { headers: { 'if-none-match': header } });
      expect([header, again.status, again.text, again.headers.get('etag')]).toEqual([header, 304, '', tag]);
    }
    expect(requests).toHaveLength(1);
    expect((await get(url, { headers: { 'if-none-match': '*' } })).status).toBe(304);
  });

  test('is a full response for a caller with another page, revision or dataset', async () => {
    const { gateway } = await startDataset();
    const url = `${gateway.url}/public/dataset`;
    const current = (await get(`${url}?limit=2`)).headers.get('etag') ?? '';
    const foreign = ['one.7.0.3', 'one.6.0.2', 'two.7.0.2', 'x', ''].map((tag) => `"${tag}"`);
    for (const tag of [...foreign, current.slice(1, -1), `${current}, "`, '']) {
      const answer = await get(`${url}?limit=2`, { headers: { 'if-none-match': tag } });
      expect([tag, answer.status, answer.text.slice(0, 24)]).toEqual([tag, 200, '{"data":[{"recordId":1,"']);
    }
  });

  test('answers HEAD with the headers only', async () => {
    const { gateway } = await startDataset();
    const head = await get(`${gateway.url}/public/dataset?limit=2`, { method: 'HEAD' });
    const whole = await get(`${gateway.url}/public/dataset?limit=2`);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['etag', 'link', 'content-length', 'content-type']) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    }
  });

  test.each([
    ['?filter=', 400, 'INVALID_FILTER'],
    ['?filter=%7B%22volt%22%3A1%7D', 400, 'INVALID_FILTER'],
    ['/v1.0.0?format=json', 400, 'INVALID_PARAMETER'],
    ['/versions?skip=1', 400, 'INVALID_PARAMETER'],
    ['/10.1000/182?skip=-5', 400, 'INVALID_PARAMETER'],
    ['/https%3A%2F%2Fdoi.org%2F10.1000%2F182/export?version=v1.0.0', 400, 'INVALID_PARAMETER'],
    ['?limit=0', 400, 'INVALID_PARAMETER'],
    ['/export?format=ods', 400, 'INVALID_PARAMETER'],
    ['/%zz', 400, 'INVALID_REQUEST'],
    ['/%00', 400, 'INVALID_REQUEST'],
  ])('%s is %p %s', async (path, status, code) => {
    const { gateway, requests } = await startDataset();
    const answer = await get(`${gateway.url}/public/dataset${path}`);
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual({
      success: false,
      code,
      message: expect.any(String),
      requestId: answer.headers.get('x-request-id'),
    });
    expect(answer.headers.get('etag')).toBeNull();
    expect(requests).toEqual([]);
  });
});

describe('GET /metadata', () => {
  const substance = { aliases: ['PVAL'], kind: 'synthetic' };
  const lists = Lists.fromPartial({
    polymers: [
      { id: 1, name: 'PVA', fullName: 'Poly(vinyl alcohol)', casNumber: '9002-89-5', note: 'inner', ...substance },
      { id: 2, name: 'PVOH', sameAs: 'PVA', ...substance },
    ],
    morphologies: [
      { id: 1, category: '__proto__', label: 'beads', definition: 'd', synonyms: [] },
      { id: 2, category: 'shape', label: 'ribbon', definition: 'd', synonyms: ['flat'], abbreviation: 'R' },
      { id: 3, category: '__proto__', label: 'spindles', definition: 'd', synonyms: [] },
    ],
  });

  const namesOf = (name: string) => ({ displayName: name, shortName: name });

  async function startLists() {
    const requests: GetListsRequest[] = [];
    const { port } = await startUpstream({
      reference: {
        getLists: (request) => {
          requests.push(request);
          return Promise.resolve({
            datasetId: 'one',
            revision: 4,
            lists: request.knownRevision === 4 ? undefined : lists,
          });
        },
      },
    });
    return { url: (await startGateway({ ports: [port] })).url, requests };
  }

  test('leaves out absent values and internal ones', async () => {
    const { url } = await startLists();
    expect((await get(`${url}/metadata/polymers`)).json()).toEqual([
      {
        id: 1,
        name: 'PVA',
        fullName: 'Poly(vinyl alcohol)',
        casNumber: '9002-89-5',
        ...substance,
        ...namesOf('Poly(vinyl alcohol)'),
      },
      { id: 2, name: 'PVOH', sameAs: 'PVA', ...substance, ...namesOf('PVOH') },
    ]);
  });

  test('groups morphologies by category, even by names such as __proto__', async () => {
    const { url } = await startLists();
    expect((await get(`${url}/metadata/morphologies`)).text).toBe(
      '{"__proto__":[{"id":1,"label":"beads","definition":"d","synonyms":[]},' +
        '{"id":3,"label":"spindles","definition":"d","synonyms":[]}],' +
        '"shape":[{"id":2,"label":"ribbon","abbreviation":"R","definition":"d","synonyms":["flat"]}]}',
    );
  });

  test('is 304 for a list that the caller has, but not for the list of another dataset', async () => {
    const { url, requests } = await startLists();
    const first = await get(`${url}/metadata/polymers`);
    const tag = first.headers.get('etag') ?? '';
    const again = await get(`${url}/metadata/polymers`, { headers: { 'if-none-match': tag } });
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag]);
    expect(requests.at(-1)?.knownRevision).toBe(4);
    const other = await get(`${url}/metadata/polymers`, { headers: { 'if-none-match': tag.replace('one', 'two') } });
    expect([other.status, other.text]).toEqual([200, first.text]);
    const solvents = await get(`${url}/metadata/solvents`, { headers: { 'if-none-match': tag } });
    expect(solvents.status).toBe(200);
  });

  test('finds an entry by its CAS number', async () => {
    const { url } = await startLists();
    const search = (query: string) => get(`${url}/metadata/polymers/search${query}`);
    expect((await search('?cas=9002-89-5')).json()).toMatchObject({ id: 1 });
    const tag = (await search('?cas=9002-89-5')).headers.get('etag') ?? '';
    const again = await get(`${url}/metadata/polymers/search?cas=9002-89-5`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    const none = await get(`${url}/metadata/polymers/search?cas=64-17-5`, { headers: { 'if-none-match': '*' } });
    expect(none.status).toBe(404);
    for (const [query, status, code] of [
      ['?cas=64-17-5', 404, 'ENTRY_NOT_FOUND'],
      ['?cas=9002-89-4', 400, 'INVALID_PARAMETER'],
      ['?cas=', 400, 'INVALID_PARAMETER'],
      ['', 400, 'INVALID_PARAMETER'],
    ] as const) {
      const answer = await search(query);
      expect([query, answer.status]).toEqual([query, status]);
      expect(answer.json()).toMatchObject({ code });
    }
  });
});

describe('every path', () => {
  test.each([
    ['DELETE', '/public/dataset', 405, 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/data/submit', 405, 'POST, OPTIONS'],
    ['OPTIONS', '/auth/me', 204, 'GET, HEAD, OPTIONS'],
    ['GET', '/nothing', 404, null],
    ['GET', '/api/api/health', 404, null],
    ['GET', '/Health', 404, null],
    ['POST', '/public', 404, null],
  ])('%s %s is %p', async (method, path, status, allow) => {
    const { url } = await startGateway({ ports: [await freePort()] });
    const answer = await get(url + path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    if (status !== 204) expect(answer.json()).toMatchObject({ success: false, requestId: expect.any(String) });
  });

  test('answers data that is not HTTP, or is incomplete, with the error body', async () => {
    const { port } = await startGateway({ ports: [await freePort()] });
    for (const text of [
      'GET /health HTTP/9\r\n\r\n',
      'nonsense\r\n\r\n',
      `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      'POST /data/submit HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"',
    ]) {
      const [head = '', body = ''] = (await exchange(port, text, 'and ends')).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(JSON.parse(body)).toMatchObject({ success: false, code: 'INVALID_REQUEST' });
    }
    expect(await exchange(port, 'TRACE /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    );
  });

  test('lets pages of any origin read and pages of configured origins write', async () => {
    const { url } = await startGateway({ ports: [await freePort()] });
    const allowed = async (origin: string, method: string, preflight: boolean) => {
      const headers = { origin, ...(preflight ? { 'access-control-request-method': method } : {}) };
      const answer = await get(`${url}/data/submit`, { method: preflight ? 'OPTIONS' : method, headers });
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await allowed('https://any.example', 'GET', false)).toBe('*');
    expect(await allowed('https://any.example', 'GET', true)).toBe('*');
    expect(await allowed('https://any.example', 'POST', false)).toBeNull();
    expect(await allowed('https://any.example', 'POST', true)).toBeNull();
    expect(await allowed('https://lab.example', 'POST', false)).toBe('https://lab.example');
    expect(await allowed('https://lab.example', 'POST', true)).toBe('https://lab.example');
  });

  test('gets a new request id, which the log has with method, URL and status', async () => {
    const { url, log } = await startGateway({ ports: [await freePort()] });
    const answer = await get(`${url}/health?token=hunter2`, {
      headers: { 'x-request-id': 'mine', authorization: 'Bearer hunter3', cookie: 'hunter4' },
    });
    const id = answer.headers.get('x-request-id');
    expect(id).not.toBe('mine');
    const line: unknown = JSON.parse(log.find((text) => text.includes('"request"')) ?? '');
    expect(line).toMatchObject({
      requestId: id,
      method: 'GET',
      url: '/health?token=[secret]',
      status: 400,
      ms: expect.any(Number),
    });
    expect(log.join('')).not.toContain('hunter');
  });
});
