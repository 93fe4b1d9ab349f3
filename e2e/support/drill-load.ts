import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, request, type RequestOptions } from '@esd/testing/http';
import { expectError } from './errors.ts';
import { eventually } from './eventually.ts';
import { submission } from './shapes.ts';
import { smallRecord } from '@esd/testing/records';

/** Who asks whom. */
export interface Client {
  /** Root of the interface. */
  url: string;
  /** Token of an account. */
  bearer: string;
  /** Any image. */
  imageId: string;
}

/** A request that was not answered as it had to be; times in milliseconds since the load began. */
interface Failure {
  path: string;
  sent: number;
  ended: number;
  what: string;
}

/** What became of the requests of one kind. */
export interface Tally {
  done: number;
  /** The longest of those, in milliseconds. */
  longestMs: number;
  /** Without an answer, or with half of one, because a connection ended. */
  lost: Failure[];
  /** Answered with a 503 in the one shape of errors. */
  refused: Failure[];
  /** Answered with anything else. */
  wrong: Failure[];
}

export interface LoadReport {
  reads: Tally;
  downloads: Tally;
  /** How each write went at first; what was not done was sent again, with its key, until it was. */
  writes: Tally;
  /** The record of each write. */
  recordIds: number[];
}

const readers = 4;
const downloaders = 1;
const writers = 2;
// So that the load leaves processors to those who have to start again.
const pauseMs = 20;

/** Reads that each service answers; most pages are asked for once, so that no cache answers for the services. */
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

/** Reads, downloads and submits all the time while `work` is done. */
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

/** One line of numbers. */
export function lineOf(what: string, { reads, downloads, writes }: LoadReport): string {
  const parts = Object.entries({ reads, downloads, writes }).map(
    ([kind, { done, longestMs, lost, refused, wrong }]) => {
      return `${kind} ${done} done (longest ${longestMs} ms), ${refused.length} × 503, ${lost.length} lost, ${wrong.length} wrong`;
    },
  );
  return `${what}: ${parts.join('; ')}`;
}
