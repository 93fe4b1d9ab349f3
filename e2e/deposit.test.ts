import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { sharedStack } from '@esd/testing/shared-stack';
import { depositRelease } from '@esd/tools/deposit-release';
import { apiAt } from './support/api.ts';

const { url } = await sharedStack();
const api = apiAt(url);
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-deposit-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const deposit = (from: string, to: string, version = 'v1.0.0') =>
  depositRelease({ url: from, version, folder: to, signal: AbortSignal.timeout(300_000), say: () => undefined });

test('the command writes a release in the formats of Zenodo and Hugging Face, with the listed files', async () => {
  const to = join(folder, 'whole');
  const { stdout } = await run('npm', ['run', '--silent', 'deposit', '--', 'v1.0.0', '--url', `${url}/`, '--to', to]);
  expect(stdout).toContain(`${to} is ready`);
  const [version] = z
    .array(z.object({ files: z.array(z.object({ format: z.string(), sha256: z.string() })) }))
    .parse((await api.get('/public/dataset/versions')).json);
  // The demo has no images.
  const hashes = new Map(
    version?.files.flatMap(({ format, sha256 }) => (format === 'zip' ? [] : [[`records.${format}`, sha256] as const])),
  );
  const hashOf = async (path: string) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  const zenodo = (await readdir(join(to, 'zenodo'))).filter((name) => name !== 'datacite.json').sort();
  expect(await Promise.all(zenodo.map(async (name) => [name, await hashOf(join(to, 'zenodo', name))]))).toEqual(
    [...hashes].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  for (const [path, format] of [
    ['zenodo/datacite.json', 'datacite-json'],
    ['hugging-face/README.md', 'hf-card'],
    ['hugging-face/croissant.json', 'croissant'],
  ]) {
    const metadata = await api.get(`/public/dataset/v1.0.0/metadata?format=${format}`);
    expect(await readFile(join(to, path ?? ''), 'utf8')).toBe(metadata.text);
  }
  expect((await readdir(join(to, 'hugging-face'))).sort()).toEqual(['README.md', 'croissant.json', 'records.parquet']);
  expect(await hashOf(join(to, 'hugging-face', 'records.parquet'))).toBe(hashes.get('records.parquet'));
});

test('an existing folder stays unchanged', async () => {
  const to = join(folder, 'mine');
  await mkdir(to);
  await expect(deposit(url, to)).rejects.toThrow(/mine already exists/);
  expect(await readdir(to)).toEqual([]);
});

test('an unknown release is rejected with a list of the known ones', async () => {
  for (const version of ['v9.9.9', 'latest']) {
    await expect(deposit(url, join(folder, 'none'), version)).rejects.toThrow(/does not exist .*v1\.0\.0/);
  }
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

test('a file with one wrong byte is rejected, and nothing remains', async () => {
  const between = createServer((request, response) => {
    void (async () => {
      const answer = await fetch(url + (request.url ?? '/'));
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (request.url?.endsWith('/records.csv') === true) bytes[100] = (bytes[100] ?? 0) ^ 1;
      const type = answer.headers.get('content-type') ?? 'application/octet-stream';
      response.writeHead(answer.status, { 'content-type': type }).end(bytes);
    })();
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  try {
    const { port } = z.object({ port: z.int() }).parse(between.address());
    await expect(deposit(`http://127.0.0.1:${port}`, join(folder, 'broken'))).rejects.toThrow(
      /^records\.csv of v1\.0\.0 has/,
    );
    expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([]);
  } finally {
    between.close();
  }
});
