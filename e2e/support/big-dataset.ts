import type { Api } from './api.ts';
import { submitRecords, untilTotal } from './dataset.ts';
import { smallRecord, anonymousSubmitter } from '@esd/testing/records';

const RECORDS_A_SUBMISSION = 50;
const MEMBERS = 100;
const MEMBER_BYTES = 1_800;

/**
 * Publishes records of about 180 KB, more than the buffers between a slow reader and the store can contain. Returns their number.
 */
export async function publishBigRecords(api: Api, token: string, submissions: number): Promise<number> {
  const members = Array.from({ length: MEMBERS }, (_, index) => [`note${index}`, 'x'.repeat(MEMBER_BYTES)] as const);
  const record = { ...smallRecord, collectorProperty: { collectorDefinition: Object.fromEntries(members) } };
  const body = {
    userMetadata: anonymousSubmitter,
    experimentData: Array.from({ length: RECORDS_A_SUBMISSION }, () => record),
  };
  const made: number[] = [];
  for (let number = 0; number < submissions; number += 1) made.push(...(await submitRecords(api, body)));
  const answer = await api.post('/moderation/approve', { recordIds: made }, { bearer: token });
  if (answer.status !== 200) throw new Error(`approve: ${answer.status} ${answer.text}`);
  await untilTotal(api, made.length, 60_000);
  return made.length;
}
