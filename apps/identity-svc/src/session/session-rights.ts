import type { Caller } from '@esd/service/auth/caller-assertion';
import type { SessionState } from './session.store.ts';

/** Of whom two-factor sign-in is required: of nobody, or of every account with a role. */
export type TwoFactorPolicy = 'off' | 'staff';

/** What a session may do: the role of its account, or USER while the account lacks the two-factor sign-in that its role needs. */
export function sessionRights(
  { role, twoFactor }: Pick<SessionState, 'role' | 'twoFactor'>,
  policy: TwoFactorPolicy,
): Pick<Caller, 'role' | 'twoFactorMissing'> {
  const isMissing = policy === 'staff' && role !== 'USER' && !twoFactor;
  return isMissing ? { role: 'USER', twoFactorMissing: true } : { role };
}
