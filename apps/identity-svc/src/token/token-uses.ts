import { type Kysely, sql } from 'kysely';
import { periodicJob } from '@esd/background/periodic-job';
import type { Logger } from '@esd/service/health/log';
import type { IdentityTables } from '../tables.ts';

/** Buffers the time of the last use of each token and writes it every second instead of on every request. */
export interface TokenUses {
  note(tokenId: number): void;
  stop(): Promise<void>;
}

// Beyond this number of tokens, uses of other tokens are dropped until the next write.
const MAX_CACHED = 10_000;
const WRITE_EVERY_MS = 1_000;

/** Starts the periodic writes. Retries failed writes; uses are lost only if the process ends first. */
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
    name: 'token-uses',
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
        log.warn({ err }, 'write of token uses failed; uses lost');
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
