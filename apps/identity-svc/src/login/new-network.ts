import type { Transaction } from 'kysely';
import { addressNetwork } from '@esd/service/quota-client';
import { isKnownClientAddress } from '../login-throttle/login-throttle.ts';
import type { IdentityTables } from '../tables.ts';

/** Returns the network of a login if the account has logged in before, but not recently from this network. */
export async function newNetwork(
  transaction: Transaction<IdentityTables>,
  { accountId, email }: { accountId: string; email: string },
  clientIp: string | undefined,
): Promise<string | undefined> {
  if (clientIp === undefined) return undefined;
  const network = addressNetwork(clientIp);
  const known = await transaction
    .selectFrom('session')
    .select('id')
    .where('account_id', '=', accountId)
    .where('network', '=', network)
    .limit(1)
    .executeTakeFirst();
  if (known || (await isKnownClientAddress(transaction, email, clientIp))) return undefined;
  const earlier = await transaction
    .selectFrom('audit')
    .select('id')
    .where('actor', '=', accountId)
    .where('action', '=', 'login')
    .limit(1)
    .executeTakeFirst();
  return earlier && network;
}
