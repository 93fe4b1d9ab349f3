import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { isPlainLine } from '@esd/record/validate/plain-text';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { ServiceError } from '@esd/service/errors';
import { parseInput } from '../account/account-input.ts';
import { type AuditOrigin, writeAudit } from '../audit/write-audit.ts';
import { queueNotice } from '../mail/notice.ts';
import { refuseEndedSession } from '../session/session.store.ts';
import type { IdentityTables } from '../tables.ts';
import { countActiveTokens, insertToken, insertTokenSecret, lockTokenOwner, type OwnToken } from './token.store.ts';
import { newTokenSecret } from './token-secret.ts';

const MAX_NAME_LENGTH = 100;
const MAX_ACTIVE = 100;
const EXPIRY_DAYS = [30, 90, 365];

const input = z.object({
  name: z
    .string()
    .trim()
    .min(1, { error: 'The name of the token must not be empty.' })
    .max(MAX_NAME_LENGTH, { error: `The name of the token must have at most ${MAX_NAME_LENGTH} characters.` })
    .refine(isPlainLine, { error: 'The name of the token must not contain control characters.' }),
  expiresInDays: z
    .number()
    .refine((days) => EXPIRY_DAYS.includes(days), {
      error: ({ input: days }) =>
        `\`expiresInDays\` is ${String(days)}; use one of ${EXPIRY_DAYS.join(', ')}, or omit it for no expiry.`,
    })
    .optional(),
});

export interface TokenWithSecret {
  token: OwnToken;
  secret: string;
}

/**
 * Creates a personal access token. Throws INVALID_REQUEST, CONFLICT if the caller has 100 active tokens, and
 * TOKEN_REVOKED if the account was deleted or disabled or the session has ended.
 */
export async function createToken(
  database: Kysely<IdentityTables>,
  caller: Caller,
  request: { name: string; expiresInDays?: number | undefined },
  origin: AuditOrigin,
): Promise<TokenWithSecret> {
  const { accountId } = caller;
  const { name, expiresInDays: days } = parseInput(input, request);
  const { secret, hash, prefix } = newTokenSecret();
  return await database.transaction().execute(async (transaction) => {
    // The lock of the account serializes concurrent calls, so that the limit holds.
    if (!(await lockTokenOwner(transaction, accountId))) {
      throw new ServiceError('TOKEN_REVOKED', 'The account of this session was deleted or disabled.');
    }
    await refuseEndedSession(transaction, caller);
    if ((await countActiveTokens(transaction, accountId)) >= MAX_ACTIVE) {
      throw new ServiceError('CONFLICT', `You already have ${MAX_ACTIVE} active tokens; revoke one first.`);
    }
    const { id, createdAt, expiresAt } = await insertToken(transaction, { accountId, name, days });
    await insertTokenSecret(transaction, id, { hash, prefix });
    const details = { token: String(id), ...(days === undefined ? {} : { expiresInDays: String(days) }) };
    await writeAudit(transaction, { action: 'token-created', actor: accountId, subject: accountId, details }, origin);
    await notifyNewToken(transaction, accountId, { prefix, expiresAt });
    return { secret, token: { id, name, prefix, createdAt, expiresAt, lastUsedAt: null, status: 'ACTIVE' } };
  });
}

export async function notifyNewToken(
  transaction: Transaction<IdentityTables>,
  accountId: string,
  { prefix, expiresAt }: Pick<OwnToken, 'prefix' | 'expiresAt'>,
): Promise<void> {
  const expiry = expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() };
  await queueNotice(transaction, accountId, 'token-created', { prefix, ...expiry });
}
