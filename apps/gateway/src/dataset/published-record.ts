import type { DatasetState, GetRecordRequest, GetRecordResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { ServiceError } from '@esd/service/errors';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** When (ISO 8601) and why a record was withdrawn. */
export interface Withdrawn {
  at: string;
  reason: string;
}

/** A record as it is published at a dataset revision, and what is known of it by now. */
export interface PublishedRecord extends Pick<
  GetRecordResponse,
  'recordJson' | 'normalizedJson' | 'recordRevision' | 'versions'
> {
  state: DatasetState | undefined;
  publishedAt: Date;
  firstPublishedAt: Date;
  withdrawn: Withdrawn | undefined;
}

/** Reads a record. Throws RECORD_NOT_FOUND, and RECORD_WITHDRAWN, with date and reason, where it is no longer published at that revision. */
export async function readPublished(
  { dataset }: Pick<Upstream, 'dataset'>,
  wanted: Pick<GetRecordRequest, 'recordId' | 'revision' | 'atLeast'>,
  call: Call,
): Promise<PublishedRecord> {
  const { recordId } = wanted;
  const found = await dataset.getRecord(wanted, call);
  const { publishedAt, firstPublishedAt } = found;
  const withdrawn = withdrawnFromWire(found.withdrawn);
  if (withdrawn && !publishedAt) throw recordWithdrawn(recordId, withdrawn);
  if (!publishedAt || !firstPublishedAt) throw new Error('a published record without the time of its publication');
  return { ...found, publishedAt, firstPublishedAt, withdrawn };
}

/** When and why a record was withdrawn, from a message. */
export function withdrawnFromWire(
  withdrawn: { at?: Date | undefined; reason: string } | undefined,
): Withdrawn | undefined {
  return withdrawn?.at && { at: withdrawn.at.toISOString(), reason: withdrawn.reason };
}

function recordWithdrawn(recordId: number, withdrawn: Withdrawn): ServiceError {
  const message = `Record ${recordId} was withdrawn on ${withdrawn.at.slice(0, 10)}: ${withdrawn.reason}`;
  return ServiceError.withDetails('RECORD_WITHDRAWN', message, { withdrawn });
}
