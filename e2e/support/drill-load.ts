import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, request, type RequestOptions } from '@esd/testing/http';
import { expectError } from './errors.ts';
import { eventually } from '@esd/testing/eventually';
import { login } from './admin.ts';
import { demoContributor } from './demo-accounts.ts';
import { apiAt } from './api.ts';
import { uploadImage } from './images.ts';
import { ids, submission } from './shapes.ts';
import { smallRecord } from '@esd/testing/records';

/** The interface under load and the credentials of its callers. */
export interface Client {
  /** The root URL of the interface. */
  url: string;
  /** The token of an account. */
  bearer: string;
  /** The id of any image. */
  imageId: string;
}

/** A request with a wrong outcome; times are in milliseconds since the load began. */
interface Failure {
  path: string;
  sent: number;
  ended: number;
  what: string;
}

/** The outcomes of the requests of one kind. */
export interface Tally {
  done: number;
  /** The longest duration, in milliseconds. */
  longestMs: number;
  /** Requests with no response, or a truncated one, because a connection ended. */
  lost: Failure[];
  /** Requests with a 503 in the common form of errors. */
  refused: Failure[];
  /** Requests with any other response. */
  wrong: Failure[];
}

export interface LoadReport {
  reads: Tally;
  downloads: Tally;
  /** The first outcome of each write. A write that failed was repeated with its key until it succeeded. */
  writes: Tally;
  /** The record id of each write. */
  recordIds: number[];
}

/** A load whose writes were compared with the records of the account that sent them. */
export interface CheckedLoad extends LoadReport {
  /** The acknowledged records that the account does not have. */
  lostIds: number[];
  /** The records that the account has twice or without an acknowledged write. */
  extraIds: number[];
}

/** Reads, downloads and submits as the contributor of the demo while `work` runs; see `underLoad`. */
export async function underCheckedLoad(url: string, dataDir: string, work: () => Promise<void>): Promise<CheckedLoad> {
  const api = apiAt(url);
  const bearer = await login(api, demoContributor(dataDir));
  const ownIds = async () => ids.parse((await api.get('/data/my-records/ids', { bearer })).json);
  const before = await ownIds();
  const report = await underLoad({ url, bearer, imageId: await uploadImage(api) }, work);
  const [expected, found] = [[...before, ...report.recordIds], await ownIds()];
  const lostIds = expected.filter((id) => !found.includes(id));
  const extraIds = found.filter((id, index) => !expected.includes(id) || found.indexOf(id) !== index);
  return { ...report, lostIds, extraIds };
}

const readers = 4;
const downloaders = 1;
const writers = 2;
// Leaves processor time to the processes that restart.
const pauseMs = 20;

/** Reads that reach each service; most pages are requested once, so that no cache serves them. */
const reads: ((number: number, client: Client) => string)[] = [
  (number) => `/public/dataset?skip=${number % 800}&limit=${10 + (number % 7)}`,
  (number) => `/public/dataset?limit=5&filter=${encodeURIComponent(`{"voltageMin":${(number % 300) / 10}}`)}`,
  (number) => `/public/dataset/v1.0.0?skip=${number % 800}&limit=11`,
  () => '/public/dataset/versions',
  () => '/metadata/polymers',
  () => '/contributors/list',
  () => '/data/my-records/ids?status=APPROVED',
  () => '/auth/me',
  () => '/analytics/stats',
  (_, { imageId }) => `/images/${imageId}/content`,
];

const downloads = [
  `/public/dataset/export?format=json&filter=${encodeURIComponent('{"polymer":"PVA"}')}`,
  '/cache/download/excel/1',
  '/public/dataset/export?format=csv&version=v1.0.0',
];

/** Reads, downloads and submits continuously while `work` runs. */
export async function underLoad(client: Client, work: () => Promise<void>): Promise<LoadReport> {
  const { url, bearer } = client;
  const report: LoadReport = { reads: tally(), downloads: tally(), writes: tally(), recordIds: [] };
  const began = Date.now();
  let running = true;
  const loops = (count: number, one: (number: number) => Promise<void>): Promise<void>[] => {
    let number = 0;
    return Array.from({ length: count }, async () => {
      for (; running; await sleep(pauseMs)) await one(number++);
    });
  };
  const send = async (
    into: Tally,
    path: string,
    options: RequestOptions,
    status = 200,
  ): Promise<Answer | undefined> => {
    const sent = Date.now();
    const failure = (what: string): Failure => ({ path, sent: sent - began, ended: Date.now() - began, what });
    try {
      const answer = await request(url + path, options);
      if (answer.status === status) {
        into.done++;
        into.longestMs = Math.max(into.longestMs, Date.now() - sent);
        return answer;
      }
      (isCleanRefusal(answer) ? into.refused : into.wrong).push(
        failure(`${answer.status} ${answer.text.slice(0, 300)}`),
      );
    } catch (error) {
      into.lost.push(failure(`${String(error)}, ${error instanceof Error ? String(error.cause) : ''}`));
    }
    return undefined;
  };
  const open: string[] = [];
  const submit = (key: string, into: Tally): Promise<Answer | undefined> => {
    const body = { experimentData: [smallRecord] };
    return send(into, '/data/submit', { method: 'POST', bearer, headers: { 'idempotency-key': key }, body }, 201);
  };
  const keep = (answer: Answer): void => {
    report.recordIds.push(...submission.parse(answer.json).records.map(({ recordId }) => recordId));
  };
  const all = [
    ...loops(readers, async (number) => {
      const path = reads[number % reads.length]?.(number, client) ?? '';
      await send(report.reads, path, path.startsWith('/public/') ? {} : { bearer });
    }),
    ...loops(downloaders, async (number) => {
      await send(report.downloads, downloads[number % downloads.length] ?? '', {});
    }),
    ...loops(writers, async () => {
      const key = randomUUID();
      const answer = await submit(key, report.writes);
      if (answer) keep(answer);
      else open.push(key);
    }),
  ];
  try {
    await work();
  } finally {
    running = false;
    await Promise.all(all);
  }
  for (const key of open) {
    const answer = await eventually(
      () => submit(key, tally()),
      (found) => found !== undefined,
      30_000,
    );
    if (answer) keep(answer);
  }
  return report;
}

const tally = (): Tally => ({ done: 0, longestMs: 0, lost: [], refused: [], wrong: [] });

function isCleanRefusal(answer: Answer): boolean {
  if (answer.status !== 503) return false;
  try {
    expectError(answer, 503, 'UNAVAILABLE');
    return true;
  } catch {
    return false;
  }
}

/** Formats the numbers as one line. */
export function lineOf(what: string, { reads, downloads, writes }: LoadReport): string {
  const parts = Object.entries({ reads, downloads, writes }).map(
    ([kind, { done, longestMs, lost, refused, wrong }]) => {
      return `${kind} ${done} done (longest ${longestMs} ms), ${refused.length} × 503, ${lost.length} lost, ${wrong.length} wrong`;
    },
  );
  return `${what}: ${parts.join('; ')}`;
}
