import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { array, member } from '@esd/dev-stack/json-value';
import { RetryingClient } from '@esd/dev-stack/retrying-client';
import { getJson, openComparison } from './comparison.ts';

const recordsAPage = 1_000;
const DIGEST_METHOD = 'rows-v1';

export interface VerifyQueryOptions {
  url: string;
  /** The id of a public query. */
  query: string;
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * Verifies a public query through the public interface: compares the digest of its whole records, and checks that its records with the
 * requested fields are the same, in the same order. Returns whether all match. Throws a StackError if the query cannot be read.
 */
export async function verifyQuery({ url, query, signal, say }: VerifyQueryOptions): Promise<boolean> {
  const client = new RetryingClient(url, signal);
  const path = `/public/queries/${encodeURIComponent(query)}`;
  const found = await getJson(client, path);
  const { differences, compare } = openComparison(say);
  const total = Number(member(found, 'recordCount'));
  const recordsAt = async (skip: number, more: string): Promise<readonly unknown[]> =>
    array(member(await getJson(client, `${path}/records?skip=${skip}&limit=${recordsAPage}${more}`), 'data'));

  const hashes = new Map<number, string>();
  let sameOrder = true;
  for (let skip = 0; skip < total; skip += recordsAPage) {
    const [whole, requested] = await Promise.all([recordsAt(skip, '&whole=true'), recordsAt(skip, '')]);
    for (const record of whole) hashes.set(Number(member(record, 'recordId')), hashOf(record));
    const ids = [whole, requested].map((records) => records.map((record) => member(record, 'recordId')).join());
    sameOrder &&= ids[0] === ids[1];
  }
  const digest = createHash('sha256');
  for (const recordId of [...hashes.keys()].sort((a, b) => a - b)) digest.update(`${hashes.get(recordId) ?? ''}\n`);

  compare('digest method', member(found, 'digestMethod'), DIGEST_METHOD);
  compare('number of records', total, hashes.size);
  compare('digest of the records', member(found, 'digest'), digest.digest('hex'));
  compare('same records with the requested fields', true, sameOrder);
  say(differences.length === 0 ? `${query} is intact` : `${query} is NOT intact: ${differences.join(', ')}`);
  return differences.length === 0;
}

function hashOf(record: unknown): string {
  return createHash('sha256')
    .update(canonicalize(record) ?? '')
    .digest('hex');
}
