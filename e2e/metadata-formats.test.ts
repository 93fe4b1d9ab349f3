import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { leaseStack } from '@esd/testing/leased-stack';
import { sharedStack } from '@esd/testing/shared-stack';
import { smallSubmission } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { createAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { freezeRelease, publishRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';

const demo = await sharedStack();
const api = apiAt(demo.url);

const MEDIA_TYPES = {
  'schema-org': 'application/ld+json',
  'datacite-json': 'application/vnd.datacite.datacite+json',
  'datacite-xml': 'application/vnd.datacite.datacite+xml',
  bibtex: 'application/x-bibtex; charset=utf-8',
  ris: 'application/x-research-info-systems; charset=utf-8',
  'csl-json': 'application/vnd.citationstyles.csl+json',
  text: 'text/plain; charset=utf-8',
};
const OF_DATASETS = {
  ...MEDIA_TYPES,
  croissant: 'application/ld+json; profile="http://mlcommons.org/croissant/1.1"',
  datapackage: 'application/vnd.datapackage+json',
  'ro-crate': 'application/ld+json',
  'hf-card': 'text/markdown; charset=utf-8',
};

const dataset = z.looseObject({
  '@id': z.string(),
  url: z.string(),
  variableMeasured: z.array(
    z.looseObject({ alternateName: z.string(), unitText: z.string(), minValue: z.number(), maxValue: z.number() }),
  ),
  isBasedOn: z.array(z.looseObject({ '@id': z.string() })),
  distribution: z.array(
    z.looseObject({ contentUrl: z.url(), encodingFormat: z.string(), sha256: z.string().optional() }),
  ),
});
const schemaOrg = async (path: string) => dataset.parse(JSON.parse((await api.get(`/public/dataset/${path}`)).text));

describe('the demo', () => {
  test.each(Object.entries(OF_DATASETS))(
    'has a description as %s, for the release and for the latest dataset',
    async (format, type) => {
      for (const path of ['v1.0.0/metadata', 'metadata', 'latest/metadata']) {
        const answer = await api.get(`/public/dataset/${path}?format=${format}`);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
        expect(answer.headers.get('cache-control')).toBe('no-cache');
        expect(answer.text).toContain(`${demo.url}/release/${path.startsWith('v') ? 'v1.0.0' : 'latest'}`);
        const tag = answer.headers.get('etag') ?? '';
        expect(tag).toMatch(/^"[^"]+"$/);
        const again = await api.get(`/public/dataset/${path}?format=${format}`, { headers: { 'if-none-match': tag } });
        expect([again.status, again.text]).toEqual([304, '']);
        const head = await request(`${demo.url}/api/public/dataset/${path}?format=${format}`, { method: 'HEAD' });
        expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
      }
    },
  );

  test.each(Object.entries(MEDIA_TYPES))('describes each record as %s', async (format, type) => {
    for (const [path, version] of [
      ['v1.0.0/records/17/metadata', '?version=v1.0.0'],
      ['records/17/metadata', ''],
      ['latest/records/17/metadata', ''],
    ]) {
      const answer = await api.get(`/public/dataset/${path}?format=${format}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect(answer.text).toContain(`${demo.url}/record/17${version}`);
    }
  });

  test.each(Object.entries(MEDIA_TYPES))('describes a public query as %s', async (format, type) => {
    const filter = { polymer: '=PVDF', voltageMin: 15 };
    const made = await api.post('/public/queries', { filter, version: 'v1.0.0' });
    const query = z.object({ id: z.string(), digest: z.string(), recordCount: z.int() }).parse(made.json);
    const address = `/public/queries/${query.id}`;
    const answer = await api.get(`${address}/metadata?format=${format}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const title = `Electrospinning Dataset: ${query.recordCount} records with polymer “PVDF”, voltage at least 15 kV`;
    for (const part of [title, query.digest, `${demo.url}${address}`]) expect(answer.text).toContain(part);
    const conditional = { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } };
    expect((await api.get(`${address}/metadata?format=${format}`, conditional)).status).toBe(304);
  });

  test('is schema.org by default', async () => {
    for (const path of ['v1.0.0/metadata', 'metadata', 'records/17/metadata']) {
      const plain = await api.get(`/public/dataset/${path}`);
      expect(plain.text).toBe((await api.get(`/public/dataset/${path}?format=schema-org`)).text);
    }
  });

  test('states the measured variables with their ranges, as the statistics count them', async () => {
    const { variableMeasured } = await schemaOrg('v1.0.0/metadata');
    const figures = z
      .object({
        statistics: z.record(z.string(), z.object({ min: z.number().nullable(), max: z.number().nullable() })),
      })
      .parse((await api.get('/public/dataset/v1.0.0/statistics')).json).statistics;
    const expected = Object.entries(figures).filter(([, { min }]) => min !== null);
    expect(
      variableMeasured.map(({ alternateName, minValue, maxValue }) => [alternateName, minValue, maxValue]),
    ).toEqual(expected.map(([feature, { min, max }]) => [feature, min, max]));
    expect(variableMeasured.find(({ alternateName }) => alternateName === 'voltage')).toMatchObject({
      unitText: 'kV',
      unitCode: 'http://qudt.org/vocab/unit/KiloV',
    });
  });

  test('lists the papers of its records, and the files with their checksums', async () => {
    const { isBasedOn, distribution } = await schemaOrg('v1.0.0/metadata');
    // Two of the 57 papers have a plain URL instead of a DOI.
    expect(isBasedOn).toHaveLength(57);
    const isDoi = (paper: { '@id': string }): boolean => paper['@id'].startsWith('https://doi.org/10.');
    expect(isBasedOn.filter(isDoi)).toHaveLength(55);
    const files = z
      .array(z.object({ files: z.array(z.object({ format: z.string(), sha256: z.string() })) }))
      .parse((await api.get('/public/dataset/versions')).json)[0]?.files;
    // The demo has no images, so their archive is not listed.
    const listed = files?.filter(({ format }) => format !== 'zip');
    expect(distribution.map(({ sha256 }) => sha256).sort()).toEqual(listed?.map(({ sha256 }) => sha256).sort());
    for (const { contentUrl } of distribution) {
      expect((await request(contentUrl, { method: 'HEAD' })).status).toBe(200);
    }
    expect((await schemaOrg('metadata')).distribution.every(({ sha256 }) => sha256 === undefined)).toBe(true);
  });

  test('rejects an unknown format and lists the known ones', async () => {
    const unknown = await api.get('/public/dataset/v1.0.0/metadata?format=marc');
    expectError(unknown, 400, 'INVALID_PARAMETER', /schema-org.*croissant.*hf-card, got "marc"/);
    for (const format of ['croissant', 'datapackage', 'ro-crate', 'hf-card']) {
      const ofRecord = await api.get(`/public/dataset/records/17/metadata?format=${format}`);
      expectError(ofRecord, 400, 'INVALID_PARAMETER', /schema-org.*csl-json or text/);
      const ofQuery = await api.get(`/public/queries/${'0'.repeat(32)}/metadata?format=${format}`);
      expectError(ofQuery, 400, 'INVALID_PARAMETER', /schema-org.*csl-json or text/);
    }
    expectError(await api.get('/public/dataset/metadata?format=text&style=mla'), 400, 'INVALID_PARAMETER', /apa/);
    expectError(
      await api.get('/public/dataset/metadata?format=ris&style=apa'),
      400,
      'INVALID_PARAMETER',
      /format=text/,
    );
  });

  test('rejects unknown names', async () => {
    expectError(await api.get('/public/dataset/v9.9.9/metadata'), 404, 'VERSION_NOT_FOUND', /v1\.0\.0/);
    expectError(await api.get('/public/dataset/records/99999/metadata'), 404, 'RECORD_NOT_FOUND');
    expectError(await api.get('/public/dataset/v1.0.0/records/99999/metadata'), 404, 'RECORD_NOT_FOUND');
    expectError(await api.get('/public/dataset/v9.9.9/records/1/metadata'), 404, 'VERSION_NOT_FOUND');
    for (const id of ['0'.repeat(32), 'x']) {
      expectError(await api.get(`/public/queries/${id}/metadata`), 404, 'QUERY_NOT_FOUND');
    }
  });
});

describe('releases of one dataset', () => {
  let stack: TestStack;
  let root: string;
  let freshApi: Api;
  let admin: string;
  const ids: number[] = [];

  const describeRelease = (id: number | undefined, body: object) =>
    freshApi.patch(`/admin/versions/${id}`, body, { bearer: admin });
  const citation = async (path: string) => (await freshApi.get(`/public/dataset/${path}?format=text`)).text;

  beforeAll(async () => {
    stack = await leaseStack('fresh');
    root = stack.url;
    freshApi = apiAt(stack.url);
    ({ token: admin } = await createAdmin(freshApi));
    await publishRecords(freshApi, smallSubmission(1), admin);
    for (const versionIdentifier of ['v1.0.0', 'v1.1.0'])
      ids.push(await freezeRelease(freshApi, { versionIdentifier }, admin));
  });
  afterAll(() => stack.stop());

  test('link to each other, and a new DOI appears immediately in every format', async () => {
    const doi = '10.5072/Esd(1)/a_b';
    expect((await describeRelease(ids[0], { doi })).status).toBe(200);
    for (const format of Object.keys(OF_DATASETS)) {
      const path = `/public/dataset/v1.0.0/metadata?format=${format}`;
      const byName = await freshApi.get(path);
      expect(
        byName.text
          .replaceAll('\\_', '_')
          .replaceAll('%2F', '/')
          .replaceAll(/%28|%29/g, ''),
      ).toMatch(/10\.5072\/esd\(?1\)?\/a_b/);
      const raw = await freshApi.get(`/public/dataset/${doi}/metadata?format=${format}`);
      expect([raw.status, raw.text]).toEqual([200, byName.text]);
      const encoded = await freshApi.get(
        `/public/dataset/${encodeURIComponent(`https://doi.org/${doi}`)}/metadata?format=${format}`,
      );
      expect(encoded.text).toBe(byName.text);
    }
    const [first, second] = await Promise.all(
      ['v1.0.0', 'v1.1.0'].map(async (version): Promise<unknown> => {
        return JSON.parse((await freshApi.get(`/public/dataset/${version}/metadata?format=datacite-json`)).text);
      }),
    );
    expect(first).toMatchObject({ doi: doi.toLowerCase(), version: 'v1.0.0' });
    expect(first).toMatchObject({
      relatedIdentifiers: expect.arrayContaining([
        expect.objectContaining({ relationType: 'IsPreviousVersionOf', relatedIdentifier: `${root}/release/v1.1.0` }),
      ]),
    });
    expect(second).toMatchObject({
      relatedIdentifiers: expect.arrayContaining([
        { relationType: 'IsNewVersionOf', relatedIdentifier: doi.toLowerCase(), relatedIdentifierType: 'DOI' },
      ]),
    });
    expect(second).not.toHaveProperty('doi');
    expect((await freshApi.get(`/public/dataset/${doi}/records/1/metadata?format=text`)).status).toBe(200);
  });

  test('preserve their facts until an administrator changes them', async () => {
    const before = await freshApi.get(`/admin/versions/${ids[1]}`, { bearer: admin });
    const { dataset: facts } = z.object({ dataset: z.looseObject({ title: z.string() }) }).parse(before.json);
    expect(facts.title).toBe('Electrospinning Dataset');
    const changed = { ...facts, title: 'Fibers of {PVDF} & <more>' };
    const answer = await describeRelease(ids[1], { dataset: changed });
    expect([answer.status, answer.json]).toMatchObject([200, { dataset: changed }]);
    expect(await citation('v1.1.0/metadata')).toContain('Fibers of {PVDF} & <more> (Version v1.1.0)');
    expect(await citation('v1.0.0/metadata')).toContain('Electrospinning Dataset (Version v1.0.0)');
    expect(await citation('metadata')).toContain('Electrospinning Dataset (Dataset revision');
    const wrong = await describeRelease(ids[1], { dataset: { ...facts, description: 'Short.' } });
    expectError(wrong, 400, 'VALIDATION_FAILED');
  });
});
