import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { type Api, apiAt } from './support/api.ts';
import { login } from './support/admin.ts';
import { checkAnswer, openApi } from './support/contract.ts';
import { demoAdmin, demoContributor } from './support/demo-accounts.ts';
import { feedbackWithImage } from './support/feedback.ts';

const stack = await sharedStack();
const api = apiAt(stack.url);

let paths: z.output<typeof openApi>['paths'];
beforeAll(async () => {
  ({ paths } = openApi.parse((await api.get('/openapi.json')).json));
});

/**
 * Sends the example request of an operation, with a bearer token if one is required. Returns the status and the body. `values` replace the
 * examples of path parameters.
 */
async function sendExample(
  to: Api,
  path: string,
  method: 'get' | 'post',
  bearer: string,
  body?: object,
  values: Readonly<Record<string, unknown>> = {},
) {
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`there is no ${method} ${path}`);
  const examples = operation.parameters.filter(({ example }) => example !== undefined);
  const inPath = examples.filter((one) => one.in === 'path');
  const query = new URLSearchParams();
  for (const one of examples) if (one.in === 'query') query.set(one.name, String(one.example));
  const filled = inPath.reduce(
    (text, { name, example }) => text.replace(`{${name}}`, String(values[name] ?? example)),
    path,
  );
  const isSecured = operation.security.length > 0 && operation.security.every((one) => Object.keys(one).length > 0);
  const options = isSecured ? { bearer } : {};
  const example = operation.requestBody?.content['application/json']?.example;
  const sent = Array.isArray(example) ? example : { ...(typeof example === 'object' ? example : {}), ...body };
  const url = `${filled}?${query.toString()}`;
  const answer = await (method === 'get' ? to.get(url, options) : to.post(url, sent, options));
  const good = Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 300);
  return {
    status: answer.status,
    good: good.includes(answer.status) ? answer.status : (good[0] ?? 501),
    json: answer.json,
  };
}

describe('the examples of reads', () => {
  test('work with the demo dataset and return data', async () => {
    const admin = await login(api, demoAdmin(stack.dataDir));
    const contributor = await login(api, demoContributor(stack.dataDir));
    // The other lists always have an entry.
    await api.post('/auth/tokens', { name: 'to be listed' }, { bearer: admin });
    const made = await api.post('/versions', { name: 'to be listed', filterConfig: {} }, { bearer: admin });
    const snapshot = z.looseObject({ id: z.int() }).parse(made.json);
    // Other test files send feedback without an image.
    const sent = await api.post('/feedback/submit', feedbackWithImage);
    const feedback = z.looseObject({ id: z.int() }).parse(sent.json);
    const { json: query } = await sendExample(api, '/public/queries', 'post', admin);
    // Its id is derived from the demo records, as are the examples of its reads.
    const [id] = paths['/public/queries/{id}']?.['get']?.parameters ?? [];
    expect(query).toMatchObject({ id: id?.example });
    // A mail token works once, so it cannot be an example.
    const without = ['/auth/verify-email', '/images/{imageId}/content'];
    const reads = Object.entries(paths).filter(([path, methods]) => 'get' in methods && !without.includes(path));
    expect(reads.length).toBeGreaterThan(15);
    for (const base of ['', '/api']) {
      for (const [path] of reads) {
        // Web pages and /llms.txt have one URL.
        if (base !== '' && ['/', '/docs', '/docs/{group}', '/explore', '/llms.txt', '/status'].includes(path)) continue;
        const token = /^\/(?:data|experiments)\//.test(path) ? contributor : admin;
        const { status, good, json } = await sendExample(apiAt(stack.url + base), path, 'get', token, undefined, {
          // Other test files have personal snapshots too.
          ...(path.startsWith('/versions/{id}') ? { id: snapshot.id } : {}),
          ...(path.startsWith('/feedback/{id}') ? { id: feedback.id } : {}),
        });
        expect([path, status]).toEqual([path, good]);
        const found = typeof json === 'object' && json !== null && 'data' in json ? json.data : json;
        // In the demo, no contributor chose to be named, and no record is pending or has an image or a message.
        const empty = [
          '/contributors/list',
          '/data/pending',
          '/experiments/{experimentId}/images',
          '/data/records/{recordId}/messages',
        ];
        if (!empty.includes(path)) expect([path, found]).not.toEqual([path, []]);
      }
    }
  });
});

describe('a response that is not described fails the test that requested it', () => {
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' });
  const as = (status: number, json: unknown) => ({ status, headers, text: JSON.stringify(json), json });
  const page = { data: [], total: 0, skip: 0, limit: 1, version: 'latest' };
  const error = { success: false, message: 'x', code: 'INVALID_PARAMETER', requestId: crypto.randomUUID() };

  test.each<[string, string, string, ReturnType<typeof as>]>([
    ['a path', 'GET', '/nowhere', as(200, {})],
    ['a method', 'POST', '/public/dataset', as(201, {})],
    ['a status', 'GET', '/public/dataset', as(418, error)],
    ['a member', 'GET', '/public/dataset', as(200, { ...page, more: 1 })],
    ['a member that is missing', 'GET', '/api/public/dataset', as(200, { ...page, total: undefined })],
    [
      'a member of a record',
      'GET',
      '/public/dataset',
      as(200, { ...page, data: [{ recordId: 1, experimentId: 1, x: 1 }] }),
    ],
    ['null in a record', 'GET', '/public/dataset', as(200, { ...page, data: [{ recordId: 1, experimentId: null }] })],
    ['a type', 'GET', '/data/my-records/ids', as(200, ['1'])],
    ['an error code', 'GET', '/public/dataset', as(400, { ...error, code: 'MISSING_FIELDS' })],
    ['an error', 'GET', '/nowhere', as(404, { ...error, stack: 'at x:1:1' })],
    ['an error of a path with a parameter', 'POST', '/moderation/records/7/approve', as(500, error)],
    ['a body with 304', 'GET', '/public/dataset', as(304, page)],
    ['a body with HEAD', 'HEAD', '/public/dataset', as(200, page)],
    [
      'a media type',
      'GET',
      '/public/dataset',
      { ...as(200, page), headers: new Headers({ 'content-type': 'text/html' }) },
    ],
  ])('%s', async (_, method, path, answer) => {
    await expect(checkAnswer(stack.url + path, method, answer)).rejects.toThrow('not as described');
  });

  test('a described response passes', async () => {
    await checkAnswer(`${stack.url}/public/dataset`, 'GET', as(200, page));
    await checkAnswer(`${stack.url}/public/dataset`, 'GET', as(400, error));
    await checkAnswer(`${stack.url}/nowhere`, 'GET', as(404, { ...error, code: 'ROUTE_NOT_FOUND' }));
  });
});
