import { isObject } from '@esd/record/validate/is-object';
import { call, type Send } from '../client/call.ts';
import { RequestError } from '../client/request.ts';
import { problemText } from '../client/form.ts';
import { account } from '../client/session.ts';
import type { Paper, Sender } from './draft.ts';
import { experimentOf, type FormExperiment } from './form-values.ts';

export interface OwnRecord {
  readonly recordId: number;
  readonly entityTag: string;
}

/** Reads a record of the signed-in user into the form. Throws RequestError. */
export async function readOwnRecord(
  send: Send,
  recordId: number,
): Promise<{ own: OwnRecord; paper: Paper; experiment: FormExperiment }> {
  const { body, headers } = await call(send, 'get', '/data/experiment/{recordId}', { parameters: { recordId } });
  const { researchMetadata, ...item } = body.experimentData[0] ?? {};
  const shared = isObject(body['researchMetadata']) ? body['researchMetadata'] : {};
  const { doi, publicationTitle, ...device } = { ...shared, ...researchMetadata };
  return {
    own: { recordId, entityTag: headers.get('ETag') ?? '' },
    paper: { doi: textOf(doi), publicationTitle: textOf(publicationTitle) },
    experiment: experimentOf({ ...item, researchMetadata: device }),
  };
}

/** Returns the sender for a submission; undefined for a signed-in user, whom the account names. */
export function userMetadataOf({ name, email, consents }: Sender): Record<string, unknown> | undefined {
  return account.value ? undefined : { name, email, ...(consents ? { consentTerms: true } : {}) };
}

export function sendingProblem(error: unknown): string {
  if (error instanceof RequestError && (error.status === 412 || error.status === 409)) {
    return 'Someone changed this record while you were editing it. Your input is preserved. Open the record again, compare it with your input, and send again.';
  }
  return problemText(error);
}

export function filled(paper: Paper): Partial<Paper> {
  return Object.fromEntries(Object.entries<string>({ ...paper }).filter(([, text]) => text.trim() !== ''));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a short digest (FNV-1a, 32 bits), by which one draft distinguishes its bodies. */
export function digest(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
