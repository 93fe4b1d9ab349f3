import { LATEST } from '@esd/api/release-name';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type PublishedRecord, readPublished } from '../dataset/published-record.ts';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import type { KnownRelease, Releases } from '../dataset/releases.ts';
import type { Call } from '../http/call.ts';
import { stateTag } from '../http/state-tag.ts';
import type { PageCache } from '../cache/page-cache.ts';
import type { Upstream } from '../upstream/upstream.ts';

export interface RecordReads {
  /** Finds the response for a record, as JSON in UTF-8. Throws RECORD_NOT_FOUND and RECORD_WITHDRAWN. */
  find(
    recordId: number,
    /** Absent: the newest state. */
    release: KnownRelease | undefined,
    call: Call,
  ): Promise<{ state: DatasetRevision; body: Buffer; isCached: boolean }>;
}

/** Reads one record. The cache key has the dataset state and the release list, because the response contains both. */
export function recordReads(
  states: DatasetStates,
  releases: Releases,
  upstream: Pick<Upstream, 'dataset'>,
  cache: PageCache,
): RecordReads {
  return {
    find: async (recordId, release, call) => {
      const [now, { tag: listed }] = await Promise.all([states.current(call), releases.listed(call)]);
      const wanted = release?.state ?? now;
      const version = release?.identifier ?? LATEST;
      // Whether the record of a release has been withdrawn depends on the newest state.
      const part = `record.${recordId}.${version}.${listed}.${now.revision}`;
      const known = cache.get(stateTag(wanted, part));
      if (known) return { state: wanted, body: known.body, isCached: true };
      const requestedAt = performance.now();
      const revision = release?.state.revision;
      const found = await readPublished(upstream, { recordId, revision, atLeast: states.latest() }, call);
      if (found.state && !release) states.observe(found.state, requestedAt);
      const state = release?.state ?? found.state ?? wanted;
      const body = Buffer.from(recordText(found, version));
      const page = cache.store({ kind: 'page', key: stateTag(state, part), total: 1, nextAfter: undefined, body });
      return { state, body: page.body, isCached: false };
    },
  };
}

/** Returns the response for a record as JSON text. The record and its features are JSON already. */
export function recordText(found: PublishedRecord, version: string): string {
  const {
    recordJson,
    normalizedJson,
    unexplainedJson,
    recordRevision,
    publishedAt,
    firstPublishedAt,
    versions,
    withdrawn,
  } = found;
  const about = JSON.stringify({ version, recordRevision, publishedAt, firstPublishedAt, versions, withdrawn });
  const [data, numbers, sentUnexplained] = [recordJson, normalizedJson, unexplainedJson].map((json) =>
    Buffer.from(json).toString(),
  );
  // A replica of an earlier software release does not send it.
  const unexplained = sentUnexplained === '' ? 'null' : sentUnexplained;
  return `{"data":${data},${about.slice(1, -1)},"normalized":${numbers},"unexplained":${unexplained}}`;
}
