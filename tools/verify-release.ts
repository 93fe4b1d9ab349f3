import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { array, member, text } from '@esd/dev-stack/json-value';
import { RetryingClient } from '@esd/dev-stack/retrying-client';
import { StackError } from '@esd/dev-stack/stack-error';
import { getJson, openComparison } from './comparison.ts';

const recordsAPage = 1_000;
const fileMs = 600_000;

export interface VerifyOptions {
  url: string;
  version: string;
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * Verifies a release through the public interface: compares the digest of its records, both from the pages (which dataset-svc reads from
 * the log) and from the stored JSON file, and the SHA-256 of every stored file. Returns whether all match. Throws a StackError if the
 * release is unknown or cannot be read.
 */
export async function verifyRelease({ url, version, signal, say }: VerifyOptions): Promise<boolean> {
  const client = new RetryingClient(url, signal);
  const listed = await getJson(client, '/public/dataset/versions');
  const found = array(listed).find((one) => member(one, 'versionIdentifier') === version);
  if (!found) {
    const known = array(listed).map((one) => text(member(one, 'versionIdentifier')));
    throw new StackError(`Release ${version} does not exist at ${url}. Known releases: ${known.join(', ') || 'none'}.`);
  }
  const { differences, compare } = openComparison(say);
  const pages = digestOfRecords();
  const total = Number(member(found, 'recordCount'));
  const path = `/public/dataset/${encodeURIComponent(version)}`;
  for (let skip = 0; skip < total; skip += recordsAPage) {
    const page = await getJson(client, `${path}?skip=${skip}&limit=${recordsAPage}`);
    for (const record of array(member(page, 'data'))) pages.add(record);
  }
  compare('number of records', total, pages.count());
  compare('digest of the records', member(found, 'digest'), pages.digest());

  for (const file of array(member(found, 'files'))) {
    const format = text(member(file, 'format'));
    const records = digestOfRecords();
    const stored = await readFile(`${url}${path}/export?format=${format}`, signal, (line) => {
      if (format === 'json') addLine(records, line);
    });
    if (typeof stored === 'string') {
      differences.push(format);
      say(`DIFFERENT  stored ${format} file: ${stored}`);
      continue;
    }
    compare(`bytes of the stored ${format} file`, member(file, 'bytes'), stored.bytes);
    compare(`SHA-256 of the stored ${format} file`, member(file, 'sha256'), stored.sha256);
    if (format === 'json') compare('digest of the records in the json file', member(found, 'digest'), records.digest());
  }
  say(differences.length === 0 ? `${version} is intact` : `${version} is NOT intact: ${differences.join(', ')}`);
  return differences.length === 0;
}

interface RecordsDigest {
  add(record: unknown): void;
  count(): number;
  digest(): string;
}

/** Computes the SHA-256 of the canonical JSON of records, each followed by a line feed. */
function digestOfRecords(): RecordsDigest {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add: (record) => {
      hash.update(canonicalize(record) ?? '').update('\n');
      count += 1;
    },
    count: () => count,
    digest: () => hash.digest('hex'),
  };
}

/** Adds a line of the JSON export, which has one record per line. Other lines open and close the array. */
function addLine(records: RecordsDigest, line: string): void {
  if (!line.startsWith('{')) return;
  const record: unknown = JSON.parse(line.replace(/,$/, ''));
  records.add(record);
}

/** Downloads a file and passes each line to `take`. Returns its size and SHA-256, or the reason for a failure as text. */
async function readFile(
  url: string,
  signal: AbortSignal,
  take: (line: string) => void,
): Promise<{ bytes: number; sha256: string } | string> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(fileMs)]) });
    if (answer.status !== 200 || !answer.body) return `status ${answer.status}: ${await answer.text()}`;
    const decoder = new TextDecoder();
    let begun = '';
    const parts: AsyncIterable<Uint8Array> = answer.body;
    for await (const part of parts) {
      hash.update(part);
      bytes += part.length;
      const lines = (begun + decoder.decode(part, { stream: true })).split('\n');
      begun = lines.pop() ?? '';
      lines.forEach(take);
    }
    take(begun);
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}
