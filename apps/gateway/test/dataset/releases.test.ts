import { readFileSync } from 'node:fs';
import { MAX_FILTER_LENGTH } from '@esd/record/filter/parse-filter';
import { ExportRequest } from '@esd/proto/esd/export/v1/export';
import { METADATA } from '@esd/service/rpc/rpc-metadata';
import { readStreamRequest } from '@esd/service/http/stream-request';
import { afterEach, expect, test } from '@jest/globals';
import { demoDatasetFile } from '@esd/testing/demo';
import type { QueryRecordsRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { type Release, ReleaseState } from '@esd/proto/esd/dataset/v1/releases';
import { RULES } from '@esd/record/rules';
import { ServiceError } from '@esd/service/errors';
import { closeAll, get, startStreamServer, startUpstream, startGateway } from '../upstream-servers.ts';

afterEach(closeAll);

/** The longest filter that is allowed, in ASCII. */
const LONG_TEXT = 'x'.repeat(MAX_FILTER_LENGTH - 14);
const MAX_LENGTH_FILTER = `{"polymer":"${LONG_TEXT}"}`;
const ofMaxLength = { conditions: [{ key: 'polymer', condition: { $case: 'text', value: LONG_TEXT } }] };
const DOI = '10.5281/zenodo.42';

/** Starts a dataset at revision 9 with the release v1.0.0 of revision 5; the test changes its DOI. */
async function startDataset({ exportHttp = [] as string[] } = {}) {
  const state = { datasetId: 'one', revision: 5, recordCount: 3 };
  const version: Release = {
    id: 1,
    identifier: 'v1.0.0',
    releaseState: ReleaseState.RELEASE_STATE_FROZEN,
    factsJson: readFileSync(demoDatasetFile, 'utf8'),
    state,
    createdAt: new Date(0),
    doi: DOI,
    digest: 'd',
    files: [],
    jobId: 'j',
  };
  const requests: QueryRecordsRequest[] = [];
  const names: string[] = [];
  const listed = [version];
  let recordReads = 0;
  let isAway = false;
  const { port } = await startUpstream({
    dataset: {
      getHead: () =>
        isAway
          ? Promise.reject(new ServiceError('UNAVAILABLE', 'away'))
          : Promise.resolve({ state: { ...state, revision: 9 } }),
      getRecord: ({ revision }) => {
        recordReads += 1;
        return Promise.resolve({
          state: { ...state, revision: 9 },
          recordJson: Buffer.from('{"recordId":1}'),
          recordRevision: revision === undefined ? 2 : 1,
          publishedAt: new Date(0),
          firstPublishedAt: new Date(0),
          versions: listed.map(({ identifier }) => identifier),
          withdrawn: undefined,
          normalizedJson: Buffer.from('{}'),
          unexplainedJson: Buffer.from('null'),
        });
      },
      queryRecords: (request) => {
        if (isAway) return Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
        requests.push(request);
        const revision = request.revision ?? 9;
        const recordsJson = Buffer.from(`{"recordId":1,"experimentId":1,"r":${revision}}`);
        return Promise.resolve({ state: { ...state, revision }, total: 3, recordsJson, records: 1, rules: RULES });
      },
    },
    releases: {
      listReleases: () => Promise.resolve({ releases: [...listed] }),
      findRelease: ({ by }) => {
        names.push(String(by?.value));
        if (isAway) return Promise.reject(new ServiceError('UNAVAILABLE', 'away'));
        if (by?.value === version.identifier || by?.value === version.doi) return Promise.resolve({ release: version });
        return Promise.reject(new ServiceError('VERSION_NOT_FOUND', 'Unknown version; known versions: v1.0.0.'));
      },
    },
  });
  const gateway = await startGateway({ ports: [port], exportHttp });
  return {
    at: (path: string, headers = {}) => get(`${gateway.url}/public/dataset/${path}`, { headers }),
    requests,
    names,
    listed,
    recordReads: () => recordReads,
    version,
    goAway: () => {
      isAway = true;
    },
  };
}

test('a page of a release is queried once, at its revision, and stays available while dataset-svc is down', async () => {
  const { at, requests, names, goAway } = await startDataset();
  const first = await at('v1.0.0?limit=1');
  expect(first.json()).toMatchObject({ version: 'v1.0.0', total: 3, data: [{ r: 5 }] });
  expect(first.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  goAway();
  const again = await at('v1.0.0?limit=1');
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(requests).toMatchObject([{ revision: 5, skip: 0, limit: 1 }]);
  expect(requests[0]?.atLeast).toBeUndefined();
  expect(names).toEqual(['v1.0.0']);
  expect((await at('v1.0.0?limit=2')).status).toBe(503);
});

test('a record is read once per dataset state and release list, under each name', async () => {
  const { at, listed, recordReads, version } = await startDataset();
  const first = await at('records/1');
  expect(first.json()).toMatchObject({ version: 'latest', recordRevision: 2, versions: ['v1.0.0'] });
  expect(first.headers.get('cache-control')).toBe('no-cache');
  const tag = first.headers.get('etag') ?? '';
  expect((await at('records/1', { 'if-none-match': tag })).status).toBe(304);
  expect((await at('latest/records/1')).text).toBe(first.text);
  expect(recordReads()).toBe(1);
  const frozen = await at('v1.0.0/records/1');
  expect(frozen.json()).toMatchObject({ version: 'v1.0.0', recordRevision: 1 });
  expect((await at(`${DOI}/records/1`)).text).toBe(frozen.text);
  expect(recordReads()).toBe(2);
  listed.unshift({ ...version, id: 2, identifier: 'v1.1.0' });
  // After the list, the record shows the new release too.
  expect((await at('versions')).json()).toHaveLength(2);
  const again = await at('records/1', { 'if-none-match': tag });
  expect([again.status, again.json()]).toMatchObject([200, { versions: ['v1.1.0', 'v1.0.0'] }]);
  expect((await at('v1.0.0/records/1')).json()).toMatchObject({ versions: ['v1.1.0', 'v1.0.0'] });
  expect(recordReads()).toBe(4);
});

test('the cache lifetime of a page depends on its name and on whether it uses rules', async () => {
  const { at } = await startDataset();
  const cacheControl = async (path: string) => (await at(path)).headers.get('cache-control');
  const filter = 'filter=%7B%22voltageMin%22%3A1%7D';
  expect(await cacheControl('v1.0.0')).toBe('public, max-age=31536000, immutable');
  expect(await cacheControl('v1.0.0?filter=%7B%7D')).toBe('public, max-age=31536000, immutable');
  expect(await cacheControl(`v1.0.0?${filter}`)).toBe('public, max-age=86400');
  expect(await cacheControl(DOI)).toBe('no-cache');
  expect(await cacheControl(`${DOI}?${filter}`)).toBe('no-cache');
  expect(await cacheControl('latest')).toBe('no-cache');
});

test('an entity tag contains the rules, so that a page of older rules is sent again', async () => {
  const { at } = await startDataset();
  const tag = (await at('v1.0.0?limit=1')).headers.get('etag') ?? '';
  expect(tag).toContain(`.5.${RULES}.`);
  const olderTag = tag.replace(`.5.${RULES}.`, `.5.${RULES - 1}.`);
  for (const [sentTag, status] of [
    [tag, 304],
    [olderTag, 200],
  ] as const) {
    expect((await at('v1.0.0?limit=1', { 'if-none-match': sentTag })).status).toBe(status);
  }
});

test('a release and the latest dataset have different pages and entity tags', async () => {
  const { at } = await startDataset();
  const [latest, frozen] = [await at('latest?limit=1'), await at('v1.0.0?limit=1')];
  expect(latest.json()).toMatchObject({ version: 'latest', data: [{ r: 9 }] });
  expect(frozen.json()).toMatchObject({ version: 'v1.0.0', data: [{ r: 5 }] });
  expect(frozen.headers.get('etag')).not.toBe(latest.headers.get('etag'));
});

test('a DOI is looked up each time, because it can move to another release', async () => {
  const { at, version } = await startDataset();
  for (const name of [DOI, encodeURIComponent(DOI)]) {
    expect((await at(`${name}?limit=1`)).json()).toMatchObject({ version: 'v1.0.0' });
  }
  version.doi = '10.5281/zenodo.43';
  expect((await at(`${DOI}?limit=1`)).status).toBe(404);
});

const named = (value: string) => ({ $case: 'versionName', value });
test.each([
  ['v1.0.0/export?format=csv', { source: named('v1.0.0'), format: 'csv' }],
  ['10.5281/zenodo.42/export', { source: named(DOI) }],
  ['10.5281%2Fzenodo.42/export', { source: named(DOI) }],
  ['https://doi.org/10.5281/zenodo.42/export', { source: named(`https://doi.org/${DOI}`) }],
  ['https:/doi.org/10.5281/zenodo.42/export', { source: named(`https://doi.org/${DOI}`) }],
  ['latest/export?filter=%7B%7D', { filterJson: '{}' }],
  [
    `latest/export?filter=${encodeURIComponent(MAX_LENGTH_FILTER)}`,
    { filterJson: MAX_LENGTH_FILTER, filter: ofMaxLength },
  ],
])('%.60s sends one message to export-svc', async (path, expected) => {
  let sent: { url: string; message: string } | undefined;
  const stream = await startStreamServer((request, response) => {
    sent = { url: request.url ?? '', message: request.headers[METADATA.streamRequest]?.toString() ?? '' };
    response.end('a file');
  });
  const { at } = await startDataset({ exportHttp: [stream] });
  expect((await at(path)).text).toBe('a file');
  const message = {
    format: 'xlsx',
    source: undefined,
    filterJson: undefined,
    filter: undefined,
    counted: true,
    sort: [],
    fields: [],
    normalized: false,
    once: false,
    ...expected,
  };
  expect(readStreamRequest(ExportRequest, sent?.message ?? '')).toEqual(message);
  expect(sent?.url).toBe('/public/dataset/export');
});
