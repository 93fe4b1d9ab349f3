import { randomUUID } from 'node:crypto';
import { leaderLoop } from '@esd/background/leader-loop';
import { isDoi } from '@esd/record/metadata/doi';
import type { Logger } from '@esd/service/health/log';
import { type Kysely, sql } from 'kysely';
import { getHead, REVISION_CHANNEL } from '../dataset-log/dataset-log.store.ts';
import type { ReadIndex } from '../read-index/read-index.ts';
import { addResolvedPaper } from '../reference/change-papers.ts';
import { papersWithoutEntry } from './missing-papers.ts';
import type { Tables } from '../tables.ts';
import { findPaper, type Resolver } from './find-paper.ts';

const RESOLVER_LOCK = 4_733_101;
/** Maximum time until a published DOI is requested, if no other DOIs are waiting. */
const POLL_MS = 30_000;
const HOUR_MS = 3_600_000;
/** The times until a failed lookup is repeated; the last one applies to all later failures. */
const RETRY_MS = [HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS] as const;

interface ResolvingOptions {
  database: Kysely<Tables>;
  databaseUrl: string;
  index: Pick<ReadIndex, 'ask'>;
  resolver: Resolver;
  log: Logger;
}

/**
 * Requests the facts of each DOI of the latest dataset that has no entry, one at a time, on one replica. A successful lookup is never
 * repeated; a failed one is repeated after an hour, a day, then every week. Returns a function that stops it.
 */
export function resolvePapers({ database, databaseUrl, index, resolver, log }: ResolvingOptions): () => Promise<void> {
  const loop = leaderLoop({
    name: 'papers',
    database,
    databaseUrl,
    lock: RESOLVER_LOCK,
    channel: REVISION_CHANNEL,
    pollMs: POLL_MS,
    turn: async (_, signal) => {
      const doi = await nextDoi(database, index);
      if (doi === undefined) return false;
      await lookUp({ database, resolver, log }, doi, signal);
      return true;
    },
    log,
  });
  return () => loop.stop();
}

/** Returns a DOI without an entry whose lookup is due: one that was never requested, or else the one that waits longest. */
async function nextDoi(database: Kysely<Tables>, index: Pick<ReadIndex, 'ask'>): Promise<string | undefined> {
  // The revision that woke this turn may not have reached the index.
  const head = await getHead(database);
  const missing = (await papersWithoutEntry(index, head)).map(({ doi }) => doi).filter(isDoi);
  if (missing.length === 0) return undefined;
  const lookups = await database
    .selectFrom('paper_lookup')
    .select(['doi', 'next_at', (on) => on('next_at', '<=', sql<Date>`now()`).as('isDue')])
    .execute();
  const known = new Map(lookups.map((lookup) => [lookup.doi, lookup]));
  const [first] = missing
    .filter((doi) => known.get(doi)?.isDue ?? !known.has(doi))
    .sort((a, b) => (known.get(a)?.next_at?.getTime() ?? 0) - (known.get(b)?.next_at?.getTime() ?? 0));
  return first;
}

async function lookUp(
  { database, resolver, log }: Pick<ResolvingOptions, 'database' | 'resolver' | 'log'>,
  doi: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const paper = await findPaper(resolver, doi, signal);
    await addResolvedPaper(database, paper, randomUUID());
    await recordLookup(database, doi, null);
    log.info({ doi }, 'paper found');
  } catch (error) {
    // A lookup that the end of the process interrupts is repeated after the restart.
    if (signal.aborted) return;
    const problem = error instanceof Error ? error.message : String(error);
    await recordLookup(database, doi, problem);
    log.info({ doi, problem }, 'paper not found');
  }
}

async function recordLookup(database: Kysely<Tables>, doi: string, problem: string | null): Promise<void> {
  const before = await database.selectFrom('paper_lookup').select('attempts').where('doi', '=', doi).executeTakeFirst();
  const attempts = (before?.attempts ?? 0) + 1;
  const wait = RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1] ?? 0;
  const now = new Date();
  const lookup = {
    attempts,
    last_at: now,
    next_at: problem === null ? null : new Date(now.getTime() + wait),
    problem,
  };
  await database
    .insertInto('paper_lookup')
    .values({ doi, ...lookup })
    .onConflict((conflict) => conflict.column('doi').doUpdateSet(lookup))
    .execute();
}
