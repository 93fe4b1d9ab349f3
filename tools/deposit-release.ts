import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { array, member, text } from '@esd/dev-stack/json-value';
import { RetryingClient } from '@esd/dev-stack/retrying-client';
import { StackError } from '@esd/dev-stack/stack-error';
import { getJson } from './comparison.ts';

export interface DepositOptions {
  url: string;
  version: string;
  folder: string;
  signal: AbortSignal;
  say: (line: string) => void;
}

const FILE_MS = 600_000;
const METADATA_MS = 60_000;

/**
 * Writes a folder with a release for deposit in repositories. `zenodo` contains its files and `datacite.json`; `hugging-face` is a dataset
 * repository (`README.md`, `records.parquet`, `croissant.json`). Checks the SHA-256 of every file. Throws a StackError if the folder exists,
 * the release is unknown, or a file differs. An error leaves no partial folder.
 */
export async function depositRelease({ url, version, folder, signal, say }: DepositOptions): Promise<void> {
  const target = resolve(folder);
  if (existsSync(target))
    throw new StackError(`${target} already exists. Move it, or choose another folder with --to.`);
  const client = new RetryingClient(url, signal);
  const listed = array(await getJson(client, '/public/dataset/versions'));
  if (!listed.some((one) => member(one, 'versionIdentifier') === version)) {
    const known = listed.map((one) => text(member(one, 'versionIdentifier')));
    throw new StackError(`Release ${version} does not exist at ${url}. Known releases: ${known.join(', ') || 'none'}.`);
  }
  const name = encodeURIComponent(version);
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const [zenodo, huggingFace] = [join(unfinished, 'zenodo'), join(unfinished, 'hugging-face')];
  try {
    await mkdir(zenodo, { recursive: true });
    await mkdir(huggingFace);
    for (const [path, format] of [
      [join(zenodo, 'datacite.json'), 'datacite-json'],
      [join(huggingFace, 'README.md'), 'hf-card'],
      [join(huggingFace, 'croissant.json'), 'croissant'],
    ] as const) {
      await writeFile(path, await readText(`${url}/public/dataset/${name}/metadata?format=${format}`, signal));
      say(path.slice(unfinished.length + 1));
    }
    const manifest = await getJson(client, `/files/${name}/manifest.json`);
    for (const file of array(member(manifest, 'files'))) {
      const fileName = text(member(file, 'name'));
      const path = join(zenodo, fileName);
      const stored = await download(`${url}/files/${name}/${fileName}`, path, signal);
      const expected = { bytes: Number(member(file, 'bytes')), sha256: text(member(file, 'sha256')) };
      if (stored.bytes !== expected.bytes || stored.sha256 !== expected.sha256) {
        throw new StackError(
          `${fileName} of ${version} has SHA-256 ${stored.sha256} (${stored.bytes} bytes); expected ${expected.sha256} (${expected.bytes} bytes). Try again.`,
        );
      }
      say(`${join('zenodo', fileName)}  ${stored.bytes} bytes, SHA-256 ok`);
      if (fileName === 'records.parquet') await copyFile(path, join(huggingFace, fileName));
    }
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function readText(url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(METADATA_MS)]) });
  const body = await answer.text();
  if (answer.status !== 200) throw new StackError(`GET ${url} returned ${answer.status}: ${body.slice(0, 500)}`);
  return body;
}

async function download(url: string, path: string, signal: AbortSignal): Promise<{ bytes: number; sha256: string }> {
  const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(FILE_MS)]) });
  if (answer.status !== 200 || !answer.body) {
    throw new StackError(`GET ${url} returned ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'wx');
  try {
    const parts: AsyncIterable<Uint8Array> = answer.body;
    for await (const part of parts) {
      hash.update(part);
      bytes += part.length;
      await file.write(part);
    }
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}
