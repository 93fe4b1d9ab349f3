import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { page, records } from './support/shapes.ts';

const api = apiAt((await sharedStack()).url);
const path = '/public/dataset/export?format=json';

describe('the json export', () => {
  test('is a bare array of all records, equal to the pages', async () => {
    const exported = records.parse((await api.get(path)).json);
    const paged = [];
    for (let skip = 0; skip <= exported.length; skip += 250) {
      paged.push(...page.parse((await api.get(`/public/dataset?skip=${skip}&limit=250`)).json).data);
    }
    expect(exported).toHaveLength(809);
    expect(exported).toEqual(paged);
  });

  test('has the file name of the latest dataset', async () => {
    const { status, headers } = await api.get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]*latest[\w.-]*\.json"$/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('accepts the latest version by name too, under both bases', async () => {
    const plain = await api.get(path);
    for (const base of ['', '/api']) {
      const named = await api.get(`${base}${path}&version=latest`);
      expect([named.status, named.text === plain.text]).toEqual([200, true]);
    }
  });

  test('is complete for several simultaneous readers', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.get(path)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('is complete if a range is requested, since it is not stored', async () => {
    const answer = await api.get(path, { headers: { Range: 'bytes=0-99' } });
    expect(answer.status).toBe(200);
    expect(records.parse(answer.json)).toHaveLength(809);
  });

  test('ignores credentials, and headers that only the gateway may send', async () => {
    const inner = { 'x-esd-service': 'gateway', 'x-esd-service-token': 'guess', 'x-esd-assertion': 'guess' };
    const answer = await api.get(path, { headers: { ...inner, authorization: 'Bearer not-a-token' } });
    expect(answer.status).toBe(200);
  });
});

describe('caching', () => {
  let tag: string;
  beforeAll(async () => {
    tag = (await api.get(path)).headers.get('etag') ?? '';
  });

  test('has its own strong tag and requires revalidation', async () => {
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect((await api.get('/public/dataset')).headers.get('etag')).not.toBe(tag);
    expect((await api.get(path)).headers.get('cache-control')).toBe('no-cache');
  });

  test('the tag gives 304 without a body', async () => {
    const answer = await api.get(path, { headers: { 'If-None-Match': tag } });
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers.get('etag')).toBe(tag);
    expect(answer.headers.get('content-disposition')).toBeNull();
  });

  test('HEAD returns the headers of GET', async () => {
    const head = await api.head(path);
    const get = await api.get(path);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-disposition', 'etag', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });
});

describe('a bad request', () => {
  test.each([
    ['format=csvv', /xlsx.*json.*zip.*"csvv"/],
    ['format=JSON', /json.*"JSON"/],
    ['format=', /`format`.*json/],
    ['format=json&format=json', /`format`.*more than once/],
    ['formt=json', /"formt".*format/],
    ['format=json&skip=1', /"skip"/],
    ['format=json&limit=1', /"limit"/],
  ])('%s is rejected with the reason', async (query, message) => {
    expectError(await api.get(`/public/dataset/export?${query}`), 400, 'INVALID_PARAMETER', message);
  });

  test.each(['version=v99.0.0', 'version=10.5281%2Fzenodo.12345'])('%s, which no release has', async (query) => {
    expectError(await api.get(`/public/dataset/export?format=json&${query}`), 404, 'VERSION_NOT_FOUND');
  });
});
