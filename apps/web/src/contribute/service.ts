import { isObject } from '@esd/record/validate/read-value';
import { type Answer, request, type RequestOptions, RequestError } from '../client/request.ts';
import { problemText } from '../client/form.ts';
import { account, requestSignedIn } from '../client/session.ts';
import type { Paper, Sender } from './draft.ts';
import { experimentOf, type FormExperiment } from './form-values.ts';

/** The record that is changed, and the revision that was read. */
export interface OwnRecord {
  readonly recordId: number;
  readonly entityTag: string;
}

/** Asks the service as who is signed in, or as nobody. Throws RequestError. */
export function requestAsCaller(address: string, options: RequestOptions): Promise<Answer> {
  return account.value ? requestSignedIn(address, options) : request(address, options);
}

/** A record of who is signed in, as the form has it. Throws RequestError. */
export async function readOwnRecord(
  base: string,
  recordId: number,
): Promise<{ own: OwnRecord; paper: Paper; experiment: FormExperiment }> {
  const { body, headers } = await requestSignedIn(`${base}/data/experiment/${recordId}`);
  const answer = isObject(body) ? body : {};
  const items = Array.isArray(answer['experimentData']) ? answer['experimentData'].filter(isObject) : [];
  const shared = isObject(answer['researchMetadata']) ? answer['researchMetadata'] : {};
  const { researchMetadata, ...item } = items[0] ?? {};
  const { doi, publicationTitle, ...device } = { ...shared, ...(isObject(researchMetadata) ? researchMetadata : {}) };
  return {
    own: { recordId, entityTag: headers.get('ETag') ?? '' },
    paper: { doi: textOf(doi), publicationTitle: textOf(publicationTitle) },
    experiment: experimentOf({ ...item, researchMetadata: device }),
  };
}

/** Who sends, for the service; an account says it for who is signed in. */
export function userMetadataOf({ name, email, consents }: Sender): Record<string, unknown> | undefined {
  return account.value ? undefined : { name, email, ...(consents ? { consentTerms: true } : {}) };
}

/** What went wrong while sending, in sentences for people. */
export function sendingProblem(error: unknown): string {
  if (error instanceof RequestError && (error.status === 412 || error.status === 409)) {
    return 'Someone changed this while you worked. Open the record again, compare, then send again. What you typed is kept.';
  }
  return problemText(error);
}

/** What is known of the paper. */
export function filled(paper: Paper): Partial<Paper> {
  return Object.fromEntries(Object.entries<string>({ ...paper }).filter(([, text]) => text.trim() !== ''));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An Idempotency-Key that no other submission has. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
