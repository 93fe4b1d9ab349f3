import { type Kysely, sql } from 'kysely';
import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import type { IdentityTables } from '../tables.ts';

/** Collects when tokens were used, and writes it each second instead of at each request. */
export interface TokenUses {
  note(tokenId: number): void;
  /** Writes down what is not yet written, a last time. */
  stop(): Promise<void>;
}

// A use beyond it is not remembered; the next one after the writing is.
const MAX_CACHED = 10_000;
const WRITE_EVERY_MS = 1_000;

/**
 * Writes the last use of each token every second. Uses that cannot be written are retried; they are lost only with the
 * process.
 */
export function startTokenUses(database: Kysely<IdentityTables>, log: Logger): TokenUses {
  let uses = new Map<number, Date>();
  const write = async (): Promise<void> => {
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    try {
      await writeUses(database, written);
    } catch (error) {
      for (const [tokenId, at] of written) {
        if (!uses.has(tokenId) && uses.size < MAX_CACHED) uses.set(tokenId, at);
      }
      throw error;
    }
  };
  const writing = periodicJob({
    name: 'write of the last uses of tokens',
    everyMs: WRITE_EVERY_MS,
    firstMs: WRITE_EVERY_MS,
    run: write,
    log,
  });
  return {
    note: (tokenId) => {
      if (uses.has(tokenId) || uses.size < MAX_CACHED) uses.set(tokenId, new Date());
    },
    stop: async () => {
      await writing.stop();
      await write().catch((err: unknown) => {
        log.warn({ err }, 'the last uses of tokens could not be written, and are lost');
      });
    },
  };
}

async function writeUses(database: Kysely<IdentityTables>, uses: ReadonlyMap<number, Date>): Promise<void> {
  const used = sql<{ id: number; at: Date }>`unnest(
    ${[...uses.keys()]}::bigint[],
    ${[...uses.values()].map((at) => at.toISOString())}::timestamptz[]
  )`.as<'used'>(sql`used (id, at)`);
  await database
    .updateTable('personal_access_token')
    .from(used)
    .set({ last_used_at: sql`greatest(last_used_at, used.at)` })
    .whereRef('personal_access_token.id', '=', 'used.id')
    .execute();
}
