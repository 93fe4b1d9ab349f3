import { type Kysely, sql } from 'kysely';
import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import type { IdentityTables } from '../tables.ts';

/** Remembers when tokens were used, and writes it down now and then instead of at each request. */
export interface TokenUses {
  note(tokenId: number): void;
  /** Writes down what is not yet written, a last time. */
  stop(): Promise<void>;
}

// A use beyond it is not remembered; the next one after the writing is.
const MAX_CACHED = 10_000;

/**
 * Writes the last use of each token every `seconds`. What cannot be written stays remembered for the next time; it is
 * lost only with the process.
 */
export function startTokenUses(database: Kysely<IdentityTables>, seconds: number, log: Logger): TokenUses {
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
  const everyMs = seconds * 1000;
  const writing = periodicJob({ name: 'write of the last uses of tokens', everyMs, firstMs: everyMs, run: write, log });
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
