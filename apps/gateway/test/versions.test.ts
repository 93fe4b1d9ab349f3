import { afterEach, expect, test } from '@jest/globals';
import type { QueryRecordsRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { type Version, VersionState } from '@esd/proto/esd/dataset/v1/versions';
import { ServiceError } from '@esd/service/errors';
import { closeAll, get, startBytePort, startFarSide, startGateway } from './far-side.ts';

afterEach(closeAll);

const DOI = '10.5281/zenodo.42';

/** A dataset at revision 9 with the version v1.0.0 of revision 5, whose DOI the test moves. */
async function startDataset({ exportHttp = [] as string[] } = {}) {
  const state = { datasetId: 'one', revision: 5, recordCount: 3 };
  const version: Version = {
    id: 1,
    identifier: 'v1.0.0',
    versionState: VersionState.VERSION_STATE_FROZEN,
    state,
    createdAt: new Date(0),
    doi: DOI,
    digest: 'd',
    files: [],
    jobId: 'j',
  };
  const asked: QueryRecordsRequest[] = [];
  const names: string[] = [];
  let isAway = false;
  const { port } = await startFarSide({
    dataset: {
      getHead: () =>
        isAway
          ? Promise.reject(new ServiceError('UNAVAILABLE', 'away'))
          : Promise.resolve({ state: { ...state, revision: 9 } }),
      queryRecords: (request) => {
        if (isAway) return Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
        asked.push(request);
        const revision = request.revision ?? 9;
        const recordsJson = Buffer.from(`{"recordId":1,"experimentId":1,"r":${revision}}`);
        return Promise.resolve({ state: { ...state, revision }, total: 3, recordsJson, records: 1 });
      },
    },
    versions: {
      findVersion: ({ by }) => {
        names.push(String(by?.value));
        if (isAway) return Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
        if (by?.value === version.identifier || by?.value === version.doi) return Promise.resolve({ version });
        return Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'There is none; known versions: v1.0.0.'));
      },
    },
  });
  const gateway = await startGateway({ ports: [port], exportHttp });
  return {
    at: (path: string) => get(`${gateway.url}/public/dataset/${path}`),
    asked,
    names,
    version,
    goAway: () => {
      isAway = true;
    },
  };
}

test('a page of a version is asked for once, at its revision, and stays when the dataset is away', async () => {
  const { at, asked, names, goAway } = await startDataset();
  const first = await at('v1.0.0?limit=1');
  expect(first.json()).toMatchObject({ version: 'v1.0.0', total: 3, data: [{ r: 5 }] });
  expect(first.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  goAway();
  const again = await at('v1.0.0?limit=1');
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(asked).toMatchObject([{ revision: 5, skip: 0, limit: 1 }]);
  expect(asked[0]?.atLeast).toBeUndefined();
  expect(names).toEqual(['v1.0.0']);
  expect((await at('v1.0.0?limit=2')).status).toBe(503);
});

test('a version and the latest dataset have pages and tags of their own', async () => {
  const { at } = await startDataset();
  const [latest, frozen] = [await at('latest?limit=1'), await at('v1.0.0?limit=1')];
  expect(latest.json()).toMatchObject({ version: 'latest', data: [{ r: 9 }] });
  expect(frozen.json()).toMatchObject({ version: 'v1.0.0', data: [{ r: 5 }] });
  expect(frozen.headers.get('etag')).not.toBe(latest.headers.get('etag'));
});

test('a DOI is asked for each time: it may be given to another version', async () => {
  const { at, version } = await startDataset();
  for (const name of [DOI, encodeURIComponent(DOI)]) {
    expect((await at(`${name}?limit=1`)).json()).toMatchObject({ version: 'v1.0.0' });
  }
  version.doi = '10.5281/zenodo.43';
  expect((await at(`${DOI}?limit=1`)).status).toBe(404);
});

test.each([
  ['v1.0.0/export?format=csv', { version: 'v1.0.0', format: 'csv' }],
  ['10.5281/zenodo.42/export', { version: DOI }],
  ['10.5281%2Fzenodo.42/export', { version: DOI }],
  ['https://doi.org/10.5281/zenodo.42/export', { version: `https://doi.org/${DOI}` }],
  ['https:/doi.org/10.5281/zenodo.42/export', { version: `https://doi.org/${DOI}` }],
  ['latest/export?filter=%7B%7D', { version: 'latest', filter: '{}' }],
])('%s is passed on as a parameter', async (path, expected) => {
  let asked = '';
  const bytes = await startBytePort((request, response) => {
    asked = request.url ?? '';
    response.end('a file');
  });
  const { at } = await startDataset({ exportHttp: [bytes] });
  expect((await at(path)).text).toBe('a file');
  const { pathname, searchParams } = new URL(asked, 'http://bytes');
  expect([pathname, Object.fromEntries(searchParams)]).toEqual(['/public/dataset/export', expected]);
});
