import { z } from 'zod';
import type { Api } from './api.ts';
import { eventually } from '@esd/testing/eventually';
import { page, submission } from './shapes.ts';

/** Reads the whole public dataset, page by page. */
export async function readAll(api: Api): Promise<z.output<typeof page>['data']> {
  const all: z.output<typeof page>['data'] = [];
  for (;;) {
    const { data, total } = page.parse((await api.get(`/public/dataset?skip=${all.length}&limit=1000`)).json);
    all.push(...data);
    if (all.length >= total || data.length === 0) return all;
  }
}

/** Waits until the public dataset has `total` records, and returns the last number of records. */
export async function untilTotal(api: Api, total: number, timeoutMs?: number): Promise<void> {
  await eventually(
    async () => {
      const { status, json } = await api.get('/public/dataset?limit=1');
      return status === 200 ? page.parse(json).total : status;
    },
    (found) => found === total,
    timeoutMs,
  );
}

/** Waits until all of these records are public. */
export async function untilPublic(api: Api, recordIds: readonly number[]): Promise<void> {
  await eventually(
    async () => new Set((await readAll(api)).map(({ recordId }) => recordId)),
    (all) => recordIds.every((id) => all.has(id)),
  );
}

/** Approves records in one decision. */
export async function approveRecords(api: Api, recordIds: readonly number[], bearer: string): Promise<void> {
  const { status, text } = await api.post('/moderation/approve', { recordIds }, { bearer });
  if (status !== 200) throw new Error(`approve: ${status} ${text}`);
}

/** Submits records in one submission, approves them, waits until they are public, and returns their ids. */
export async function publishRecords(api: Api, body: object, admin: string, submitter?: string): Promise<number[]> {
  const recordIds = await submitRecords(api, body, submitter);
  await approveRecords(api, recordIds, admin);
  await untilPublic(api, recordIds);
  return recordIds;
}

/** Maximum wait for a freeze, which writes files in all formats. */
export const FREEZE_MS = 240_000;

/** Freezes a release, waits until it is listed, and returns its id. */
export async function freezeRelease(
  api: Api,
  body: { versionIdentifier: string; doi?: string; description?: string },
  bearer: string,
): Promise<number> {
  const { status, text, json } = await api.post('/admin/versions', body, { bearer });
  if (status !== 202) throw new Error(`freeze: ${status} ${text}`);
  await eventually(
    async () => (await api.get('/public/dataset/versions')).text,
    (list) => list.includes(`"${body.versionIdentifier}"`),
    FREEZE_MS,
  );
  return z.object({ id: z.int() }).parse(json).id;
}

/** Submits records in one submission and returns their ids. */
export async function submitRecords(api: Api, body: object, bearer?: string): Promise<number[]> {
  const answer = await api.post('/data/submit', body, bearer === undefined ? {} : { bearer });
  if (answer.status !== 201) throw new Error(`submit: ${answer.status} ${answer.text}`);
  return submission.parse(answer.json).records.map(({ recordId }) => recordId);
}
