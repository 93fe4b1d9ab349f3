import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallSubmission } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { newAdmin } from './support/admin.ts';
import { type Api, apiAt } from './support/api.ts';
import { query } from './support/database.ts';
import { download } from './support/download.ts';
import { freezeRelease, publishRecords } from './support/dataset.ts';
import { expectError } from './support/errors.ts';
import { readZip } from './support/zip.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const TABLES = ['records.xlsx', 'records.json', 'records.csv', 'records.parquet'];
const STORED = [...TABLES, 'images.zip'];
const NAMES = [...STORED, 'manifest.json', 'bundle.zip'];

const column = z.strictObject({ name: z.string(), type: z.string(), unit: z.string().nullable() });
const manifest = z.strictObject({
  version: z.string(),
  recordCount: z.int(),
  digest: z.string().nullable(),
  createdAt: z.iso.datetime(),
  license: z.string(),
  files: z.array(
    z.strictObject({
      name: z.string(),
      bytes: z.int(),
      sha256: z.string(),
      mediaType: z.string(),
      rows: z.int().nullable(),
      columns: z.array(column).nullable(),
    }),
  ),
});

const hashOf = (bytes: Uint8Array, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('sha256').update(bytes).digest(encoding);

describe('the files of a release', () => {
  let base: string;
  beforeAll(async () => {
    base = (await sharedStack()).url;
  });

  test.each(NAMES)('%s is sent whole and in ranges, with its digest as the tag', async (name) => {
    const path = `${base}/files/v1.0.0/${name}`;
    const { status, headers, bytes } = await download(path, { 'accept-encoding': 'gzip, br' });
    expect(status).toBe(200);
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('cache-control')).toBe(STORED.includes(name) ? IMMUTABLE : 'no-cache');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="electrospinning-dataset-v1.0.0-${name}"`);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toMatch(/Accept-Ranges.*Content-Range.*ETag.*Repr-Digest/);
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('link')).toBe(
      `<${base}/release/v1.0.0>; rel="collection"; type="text/html", <${base}/release/v1.0.0/linkset>; rel="linkset"; type="application/linkset+json"`,
    );
    const digest = name === 'bundle.zip' ? null : `sha-256=:${hashOf(bytes, 'base64')}:`;
    expect(headers.get('repr-digest')).toBe(digest);
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]+"$/);
    if (STORED.includes(name)) expect(etag).toBe(`"${hashOf(bytes)}"`);

    const { length } = bytes;
    for (const [range, start, end] of [
      ['bytes=0-99', 0, 99],
      [`bytes=100-${length + 50}`, 100, length - 1],
      ['bytes=-120', length - 120, length - 1],
      [`bytes=${length - 1}-`, length - 1, length - 1],
    ] as const) {
      const part = await download(path, { range, 'if-range': etag });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${length}`]);
      expect(part.headers.get('repr-digest')).toBe(digest);
      expect(part.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
    const beyond = await download(path, { range: `bytes=${length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${length}`]);
    const several = await download(path, { range: 'bytes=0-1,5-6' });
    expect([several.status, several.bytes.length]).toEqual([200, length]);
    const changed = await download(path, { range: 'bytes=0-1', 'if-range': '"other"' });
    expect([changed.status, changed.bytes.length]).toEqual([200, length]);
    expect((await download(path, { 'if-none-match': etag })).status).toBe(304);
    const head = await download(path, { range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(length), 0]);
    expect((await download(path.replace('/files/', '/api/files/'), { range: 'bytes=0-9' })).status).toBe(206);
  });

  test('are listed with size, checksum, rows and columns', async () => {
    const { headers, bytes } = await download(`${base}/files/v1.0.0/manifest.json`);
    expect(headers.get('content-type')).toBe('application/json');
    const listed = manifest.parse(JSON.parse(bytes.toString()));
    expect(listed).toMatchObject({ version: 'v1.0.0', recordCount: 809, license: 'CC-BY-4.0' });
    // The demo has no images.
    expect(listed.files.map(({ name }) => name)).toEqual(TABLES);
    for (const file of listed.files) {
      const whole = await download(`${base}/files/v1.0.0/${file.name}`);
      expect([file.bytes, file.sha256]).toEqual([whole.bytes.length, hashOf(whole.bytes)]);
      expect(file.mediaType).toBe(whole.headers.get('content-type'));
      expect(file.rows).toBe(809);
    }
    const columns = listed.files.find(({ name }) => name === 'records.parquet')?.columns ?? [];
    expect(columns).toContainEqual({ name: 'fiber_diameter_nm', type: 'number', unit: 'nm' });
    expect(columns).toContainEqual({ name: 'polymers', type: 'list<string>', unit: null });
    const versions = z
      .array(z.looseObject({ digest: z.string(), files: z.array(z.looseObject({ sha256: z.string() })) }))
      .parse((await apiAt(base).get('/public/dataset/versions')).json);
    expect(versions[0]?.digest).toBe(listed.digest);
    expect(versions[0]?.files.map(({ sha256 }) => sha256)).toEqual(
      expect.arrayContaining(listed.files.map(({ sha256 }) => sha256)),
    );
    const made = await apiAt(base).post('/public/queries', { filter: { polymer: 'PVDF' } });
    const { id } = z.looseObject({ id: z.string() }).parse(made.json);
    const metadata = '/public/dataset/v1.0.0/metadata?format=croissant';
    for (const path of [metadata, '/release/v1.0.0', '/release/latest', `/query/${id}`]) {
      const text = (await download(base + path)).bytes.toString();
      expect([path, text.includes('records.csv'), text.includes('images.zip')]).toEqual([path, true, false]);
    }
  });

  test('are together in one archive with metadata, license and citation', async () => {
    const { bytes } = await download(`${base}/files/v1.0.0/bundle.zip`);
    const files = await readZip(bytes);
    expect([...files.keys()]).toEqual([
      ...['ro-crate-metadata.json', 'manifest.json', 'LICENSE.txt', 'CITATION.txt', 'citation.bib'],
      ...TABLES,
    ]);
    const whole = await download(`${base}/files/v1.0.0/manifest.json`);
    expect(files.get('manifest.json')?.equals(whole.bytes)).toBe(true);
    for (const { name, sha256 } of manifest.parse(JSON.parse(whole.bytes.toString())).files) {
      expect(hashOf(files.get(name) ?? Buffer.of())).toBe(sha256);
    }
    const crate = z
      .object({ '@graph': z.array(z.looseObject({ '@id': z.string() })) })
      .parse(JSON.parse(files.get('ro-crate-metadata.json')?.toString() ?? ''));
    const ids = crate['@graph'].map((entity) => entity['@id']);
    const others = [...files.keys()].filter((name) => name !== 'ro-crate-metadata.json');
    expect(ids).toEqual(expect.arrayContaining(others));
    expect(files.get('LICENSE.txt')?.toString()).toMatch(
      /^Creative Commons Attribution 4\.0 International \(CC-BY-4\.0\)/,
    );
    expect(files.get('CITATION.txt')?.toString()).toContain('(Version v1.0.0) [Data set]');
  });

  test.each([
    ['v9.9.9/records.csv', 'VERSION_NOT_FOUND', /v1\.0\.0/],
    ['10.5281%2Fzenodo.404/records.csv', 'VERSION_NOT_FOUND', /v1\.0\.0/],
    ['r999999/records.csv', 'VERSION_NOT_FOUND', /latest, v1\.0\.0/],
    ['v1.0.0/records.tsv', 'ROUTE_NOT_FOUND', /records\.tsv.*records\.parquet.*bundle\.zip/],
    ['latest/__proto__', 'ROUTE_NOT_FOUND', /manifest\.json/],
  ])('%s is unknown, and the error lists the known names', async (path, code, message) => {
    expectError(await apiAt(base).get(`/files/${path}`), 404, code, message);
  });

  test('of the newest revision have their own URL and the same records', async () => {
    for (const name of NAMES) {
      const redirect = await download(`${base}/files/latest/${name}`);
      const location = redirect.headers.get('location') ?? '';
      expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([307, 'no-cache']);
      expect(location).toMatch(new RegExp(`^/files/r\\d+/${name}$`));
      const [one, other] = await Promise.all([download(base + location), download(base + location)]);
      expect([one.status, one.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(one.headers.get('link')).toContain(`<${base}/release/latest>; rel="collection"`);
      expect(one.bytes.equals(other.bytes)).toBe(true);
      if (name === 'records.json' || name === 'records.csv') {
        expect(one.bytes.equals((await download(`${base}/files/v1.0.0/${name}`)).bytes)).toBe(true);
      }
    }
    const under = await download(`${base}/api/files/latest/records.csv`);
    expect(under.headers.get('location')).toMatch(/^\/api\/files\/r\d+\/records\.csv$/);
  });
});

describe('files of a changing dataset', () => {
  let stack: TestStack;
  let api: Api;
  let token: string;
  const identifier = `v1.0.${Date.now() % 1_000_000}`;
  beforeAll(async () => {
    stack = await leaseStack('moderated');
    api = apiAt(stack.url);
    ({ token } = await newAdmin(stack, api));
    await publish();
    await freezeRelease(api, { versionIdentifier: identifier }, token);
  });
  afterAll(() => stack.stop());

  async function publish(): Promise<void> {
    // Late events of an earlier file can change the total.
    await publishRecords(api, smallSubmission(2), token, token);
  }

  const versions = z.array(z.looseObject({ id: z.int(), versionIdentifier: z.string() }));
  const listed = async () =>
    versions
      .parse((await api.get('/public/dataset/versions')).json)
      .find(({ versionIdentifier }) => versionIdentifier === identifier);

  test('a DOI leads to the release; bundle and license are current, stored files do not change', async () => {
    const { id = 0 } = (await listed()) ?? {};
    const before = await download(`${stack.url}/files/${identifier}/bundle.zip`);
    const stored = await download(`${stack.url}/files/${identifier}/records.xlsx`);
    const doi = `10.5281/zenodo.${id}${Date.now()}`;
    const changed = await api.patch(`/admin/versions/${id}`, { doi, license: 'CC0-1.0' }, { bearer: token });
    expect(changed.status).toBe(200);
    for (const name of [doi, encodeURIComponent(doi), encodeURIComponent(`https://doi.org/${doi.toUpperCase()}`)]) {
      const redirect = await download(`${stack.url}/files/${name}/manifest.json`);
      expect([redirect.status, redirect.headers.get('location')]).toEqual([307, `/files/${identifier}/manifest.json`]);
      expect(redirect.headers.get('cache-control')).toBe('no-cache');
    }
    const after = await download(`${stack.url}/files/${identifier}/bundle.zip`, {
      'if-none-match': before.headers.get('etag') ?? '',
    });
    expect(after.status).toBe(200);
    const files = await readZip(after.bytes);
    expect(files.get('LICENSE.txt')?.toString()).toMatch(/^Creative Commons Zero v1\.0 Universal \(CC0-1\.0\)/);
    expect(files.get('CITATION.txt')?.toString()).toContain(`https://doi.org/${doi}`);
    expect(files.get('records.xlsx')?.equals(stored.bytes)).toBe(true);
    const tag = stored.headers.get('etag') ?? '';
    expect((await download(`${stack.url}/files/${identifier}/records.xlsx`, { 'if-none-match': tag })).status).toBe(
      304,
    );
  });

  test('a missing file of a release is built once and belongs to it', async () => {
    const database = stack.databaseUrl('esd_export');
    const of = `job_id = (select id from freeze_job where identifier = $1 and state = 'FROZEN')`;
    // As a release that was frozen before a format was added.
    await query(database, `delete from freeze_file where format = 'parquet' and ${of}`, [identifier]);
    const datasets = stack.databaseUrl('esd_dataset');
    const [row] = await query(datasets, 'select files from release where identifier = $1', [identifier]);
    const files = z.array(z.looseObject({ format: z.string() })).parse(row?.['files']);
    const fewer = JSON.stringify(files.filter(({ format }) => format !== 'parquet'));
    await query(datasets, 'alter table release disable trigger user');
    await query(datasets, 'update release set files = $2 where identifier = $1', [identifier, fewer]);
    await query(datasets, 'alter table release enable trigger user');

    const path = `${stack.url}/files/${identifier}/records.parquet`;
    const answers = await Promise.all([download(path), download(path), download(path)]);
    const hashes = new Set(answers.map(({ bytes }) => hashOf(bytes)));
    expect([answers.map(({ status }) => status), hashes.size]).toEqual([[200, 200, 200], 1]);
    expect(answers[0]?.headers.get('cache-control')).toBe(IMMUTABLE);
    const stored = await query(database, `select object_key from freeze_file where format = 'parquet' and ${of}`, [
      identifier,
    ]);
    expect(stored).toEqual([{ object_key: expect.stringMatching(/^versions\//) }]);
    const whole = await download(`${stack.url}/files/${identifier}/manifest.json`);
    const columnsOf = (name: string) =>
      manifest.parse(JSON.parse(whole.bytes.toString())).files.find((file) => file.name === name)?.columns ?? [];
    expect(columnsOf('records.parquet').length).toBeGreaterThan(columnsOf('records.csv').length);
    const archive = await readZip((await download(`${stack.url}/files/${identifier}/bundle.zip`)).bytes);
    expect([...archive.keys()]).toEqual(expect.arrayContaining(TABLES));
  });

  test('a file of an older revision exists until it is swept', async () => {
    const location = (await download(`${stack.url}/files/latest/records.csv`)).headers.get('location') ?? '';
    const before = await download(stack.url + location);
    const manifestOf = location.replace('records.csv', 'manifest.json');
    expect((await download(stack.url + manifestOf)).status).toBe(200);
    await publish();
    expect((await download(`${stack.url}/files/latest/records.csv`)).headers.get('location')).not.toBe(location);
    const again = await download(stack.url + location);
    expect([again.status, again.bytes.equals(before.bytes)]).toEqual([200, true]);
    const listing = manifest.parse(JSON.parse((await download(stack.url + manifestOf)).bytes.toString()));
    expect(listing.recordCount).toBe(again.bytes.toString().split('\r\n').length - 2);
    await query(stack.databaseUrl('esd_export'), `delete from built_file where format = 'csv'`);
    expectError(await api.get(location), 404, 'VERSION_NOT_FOUND', new RegExp(`latest, .*${identifier}`));
    expectError(await api.get(manifestOf), 404, 'VERSION_NOT_FOUND', /latest/);
  });
});
