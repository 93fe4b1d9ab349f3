import pg from 'pg';
import { z } from 'zod';
import { request } from '@esd/testing/http';
import { ANALYSES, analysisPath } from './analyses.ts';
import type { Bench } from './bench.ts';
import { firstAdmin } from './first-admin.ts';
import type { OpenRequest } from './open-loop-request.ts';
import { newPage } from './paced.ts';
import { seeded } from './random.ts';
import { semLike } from './sem-image.ts';
import { submission } from './submission.ts';

/** A kind of request; a row of the table of costs. */
export interface Kind {
  /** Number in 100 requests of the mix. */
  share: number;
  next: () => Pick<OpenRequest, 'method' | 'path' | 'headers' | 'body' | 'from'>;
  /** Creates the data that this number of requests needs. */
  prepare?: (requests: number) => Promise<void>;
}

const MAX_RECORDS = 1_000;
const PAPER_RECORDS = 14;
const outcome = z.object({ records: z.array(z.object({ recordId: z.int() })) });

/**
 * Signs in as the first administrator of a new stack. Returns the kinds of requests. Each request differs from all others, except cached
 * pages, exports, and logins. Approvals are last, because they make the dataset grow.
 */
export async function createKinds({ stack, dataset, seed }: Bench): Promise<Readonly<Record<string, Kind>>> {
  const { url } = stack;
  const json = { 'Content-Type': 'application/json' };
  const { token, ...credentials } = await firstAdmin(url);
  const headers = { ...json, Authorization: `Bearer ${token}` };
  await skipRecordIds(stack.databaseUrl('esd_submission'), dataset.size());
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(semLike(seed))]));
  const upload = new Response(form);
  const uploadHeaders = { 'Content-Type': upload.headers.get('content-type') ?? '' };
  const image = Buffer.from(await upload.arrayBuffer());
  const analyses = Object.keys(ANALYSES);
  const pending: number[] = [];
  let number = 0;
  /** Returns a bound that no other request has. */
  const tipDistMin = (): number => 11 + (number += 1) / 1e6;
  const get = (share: number, path: () => string): Kind => ({
    share,
    next: () => ({ path: path(), headers: { accept: '*/*' } }),
  });
  const post = (share: number, path: string, body: () => string | Buffer): Kind => ({
    share,
    next: () => ({ method: 'POST', path, headers, body: body() }),
  });
  return {
    'cached page': get(55, () => '/public/dataset?limit=20'),
    'page never requested before': get(25, () => newPage(seed, (number += 1))),
    overview: {
      share: 5,
      next: () => ({ path: `/explore?tipDistMin=${tipDistMin()}`, headers: { accept: 'application/json' } }),
    },
    analysis: get(5, () => analysisPath(analyses[number % analyses.length] ?? '', tipDistMin())),
    'export csv': get(1, () => '/public/dataset/export?format=csv'),
    submission: post(3, '/data/submit', () => submission((number += 1), PAPER_RECORDS)),
    // From one address, because a login from a new network also sends a mail.
    login: {
      share: 2,
      next: () => ({
        method: 'POST',
        path: '/auth/login',
        headers: json,
        body: JSON.stringify(credentials),
        from: '127.0.0.1',
      }),
    },
    upload: {
      share: 1,
      next: () => {
        const body = Buffer.from(image);
        body.writeUInt32LE((number += 1), body.length >> 1);
        return { method: 'POST', path: '/images/upload', headers: uploadHeaders, body };
      },
    },
    approval: {
      share: 3,
      prepare: async (requests) => {
        while (pending.length < requests) {
          const body = submission((number += 1), MAX_RECORDS);
          const answer = await request(`${url}/data/submit`, { method: 'POST', headers, body });
          pending.push(...outcome.parse(answer.json).records.map(({ recordId }) => recordId));
        }
      },
      next: () => ({ method: 'POST', path: `/moderation/records/${pending.shift()}/approve`, headers, body: '{}' }),
    },
  };
}

/** Makes submission-svc skip the record ids of the filled log, because dataset-svc would ignore their approvals. */
async function skipRecordIds(connectionString: string, last: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(`update last_id set value = $1 where name = 'record'`, [last]);
  } finally {
    await client.end();
  }
}

/** Returns the mix of the kinds, in a random order that repeats after 100 requests. */
export function mixOf(kinds: Readonly<Record<string, Kind>>, seed: number): Kind {
  const random = seeded(seed);
  const order = Object.values(kinds)
    .flatMap((kind) => Array.from({ length: kind.share }, () => ({ kind, at: random.next() })))
    .sort((a, b) => a.at - b.at);
  let number = 0;
  return {
    share: 100,
    prepare: async (requests) => {
      for (const { prepare } of Object.values(kinds)) await prepare?.(requests);
    },
    next: () => {
      const at = order[number++ % order.length];
      if (at === undefined) throw new Error('The mix is empty.');
      return at.kind.next();
    },
  };
}
