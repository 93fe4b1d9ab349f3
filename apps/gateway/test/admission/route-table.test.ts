import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { routeTable } from '../../src/admission/route-table.ts';
import { route } from '../../src/http/route.ts';

const PATHS = ['/', '/health', '/sitemap-records-:page.xml', '/public/dataset/facets', '/public/dataset/*version'];

const findRoute = routeTable(
  PATHS.map((path) => route({ method: 'get', path, caller: 'ignored', describe: 'page', handle: () => undefined })),
);

test.each([
  ['/', '/', {}, ''],
  ['/api', '/', {}, '/api'],
  ['/?q=1', '/', {}, ''],
  ['/health/', '/health', {}, ''],
  ['/api/health?verbose', '/health', {}, '/api'],
  ['/sitemap-records-2.xml', '/sitemap-records-:page.xml', { page: '2' }, ''],
  ['/public/dataset/facets', '/public/dataset/facets', {}, ''],
  ['/public/dataset/10.5072/a%20b', '/public/dataset/*version', { version: ['10.5072', 'a b'] }, ''],
])('%s has the route %s', (url, path, parameters, base) => {
  const match = findRoute(Object.assign(new IncomingMessage(new Socket()), { url, method: 'HEAD' }));
  expect({ ...match, parameters: { ...match?.parameters } }).toMatchObject({ path, parameters, base });
  expect([match?.routes.length, match?.allowed]).toEqual([1, ['GET', 'HEAD', 'OPTIONS']]);
});

test.each(['/Health', '/healthy', '/apihealth', '/api/health/x', '/sitemap-records-.xml/x', '/public'])(
  '%s has no route',
  (url) => {
    expect(findRoute(Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' }))).toBeUndefined();
  },
);
