import type { DatasetState, GetRecordRequest, GetRecordResponse } from '@esd/proto/esd/dataset/v1/dataset';
import { ServiceError } from '@esd/service/errors';
import type { Call } from '../http/call.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** The time (ISO 8601) and the reason of a withdrawal. */
export interface Withdrawn {
  at: string;
  reason: string;
}

export interface PublishedRecord extends Pick<
  GetRecordResponse,
  'recordJson' | 'normalizedJson' | 'unexplainedJson' | 'recordRevision' | 'versions' | 'papersJson'
> {
  state: DatasetState | undefined;
  publishedAt: Date;
  firstPublishedAt: Date;
  withdrawn: Withdrawn | undefined;
}

/** Reads a record. Throws RECORD_NOT_FOUND, or RECORD_WITHDRAWN with date and reason if it is no longer published. */
export async function readPublished(
  { dataset }: Pick<Upstream, 'dataset'>,
  wanted: Pick<GetRecordRequest, 'recordId' | 'revision' | 'atLeast' | 'paper'>,
  call: Call,
): Promise<PublishedRecord> {
  const { recordId } = wanted;
  const found = await dataset.getRecord(wanted, call);
  const { publishedAt, firstPublishedAt } = found;
  const withdrawn = withdrawnFromWire(found.withdrawn);
  if (withdrawn && !publishedAt) throw recordWithdrawn(recordId, withdrawn, found.versions);
  if (!publishedAt || !firstPublishedAt) throw new Error('the published record has no publication time');
  return { ...found, publishedAt, firstPublishedAt, withdrawn };
}

export function withdrawnFromWire(
  withdrawn: { at?: Date | undefined; reason: string } | undefined,
): Withdrawn | undefined {
  return withdrawn?.at && { at: withdrawn.at.toISOString(), reason: withdrawn.reason };
}

function recordWithdrawn(recordId: number, withdrawn: Withdrawn, versions: readonly string[]): ServiceError {
  const message = `Record ${recordId} was withdrawn on ${withdrawn.at.slice(0, 10)}: ${withdrawn.reason}`;
  return new ServiceError('RECORD_WITHDRAWN', message, {
    details: {
      withdrawn: { ...withdrawn, versions: [...versions] },
    },
  });
}
