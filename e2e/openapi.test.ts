import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { checkAnswer } from './support/contract.ts';

const stack = await sharedStack();

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
