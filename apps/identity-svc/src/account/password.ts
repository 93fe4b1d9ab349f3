import { randomBytes } from 'node:crypto';
import { type Argon2Cost, argon2idCost, hashArgon2id, matchesArgon2id } from './argon2id.ts';
import { semaphore } from './semaphore.ts';

export interface PasswordOptions extends Argon2Cost {
  /** How many hashes run at the same time. */
  concurrency: number;
  /** How many may wait for their turn. */
  maxWaiting: number;
}

/**
 * Hashes passwords outside the event loop. Both throw UNAVAILABLE when too many wait, and the signal's reason when it
 * aborts before their turn.
 */
export interface Passwords {
  /** Argon2id with a salt of its own, PHC string. */
  hash(password: string, signal: AbortSignal): Promise<string>;
  /** Whether the password belongs to the hash. Without a hash the same work is done, and the answer is false. */
  verify(passwordHash: string | undefined, password: string, signal: AbortSignal): Promise<boolean>;
  /** Whether a hash was made with less work than hashes are made with today. */
  isOutdated(passwordHash: string): boolean;
}

// The longest password, typed in its longest decomposed form, is shorter.
const MAX_RAW_PASSWORD_LENGTH = 1_024;

/**
 * The form of a password that is hashed (NFKC), so that it does not matter on which keyboard it was typed. Longer
 * than any password can be: the empty text, which is nobody's password.
 */
export function normalizePassword(password: string): string {
  return password.length > MAX_RAW_PASSWORD_LENGTH ? '' : password.normalize('NFKC');
}

/** What one hash costs, in KiB written. */
function workOf({ memoryKib, passes }: Argon2Cost): number {
  return memoryKib * passes;
}

/** Makes the hash of nobody's password, with which unknown accounts are answered, and gets ready to work. */
export async function openPasswords(options: PasswordOptions): Promise<Passwords> {
  const queue = semaphore(options);
  const nobodys = await hashArgon2id(randomBytes(32), options);
  return {
    hash: (password, signal) => queue.run(() => hashArgon2id(normalizePassword(password), options), signal),
    verify: async (passwordHash, password, signal) => {
      const matches = await queue.run(
        () => matchesArgon2id(passwordHash ?? nobodys, normalizePassword(password)),
        signal,
      );
      return matches && passwordHash !== undefined;
    },
    isOutdated: (passwordHash) => workOf(argon2idCost(passwordHash)) < workOf(options),
  };
}
