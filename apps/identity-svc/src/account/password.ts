import { randomBytes } from 'node:crypto';
import { type Argon2Cost, argon2idCost, hashArgon2id, matchesArgon2id } from './argon2id.ts';
import { semaphore } from './semaphore.ts';

export interface PasswordOptions extends Argon2Cost {
  concurrency: number;
  maxWaiting: number;
}

/**
 * Hashes and checks passwords. `hash` and `verify` throw UNAVAILABLE when too many calls wait. They throw the reason of
 * the signal if it aborts while they wait.
 */
export interface Passwords {
  hash(password: string, signal: AbortSignal): Promise<string>;
  /** Returns whether the password matches. Without a hash, does the same work and returns false. */
  verify(passwordHash: string | undefined, password: string, signal: AbortSignal): Promise<boolean>;
  /** Returns whether a hash was made with less work than a new hash. */
  isOutdated(passwordHash: string): boolean;
}

// No valid password is longer, not even in its longest decomposed form.
const MAX_RAW_PASSWORD_LENGTH = 1_024;

/**
 * Returns the form of a password that is hashed (NFKC). A text longer than any password becomes '', which never
 * matches.
 */
export function normalizePassword(password: string): string {
  return password.length > MAX_RAW_PASSWORD_LENGTH ? '' : password.normalize('NFKC');
}

function workOf({ memoryKib, passes }: Argon2Cost): number {
  return memoryKib * passes;
}

/** Also hashes random bytes; passwords for unknown accounts are checked against that hash. */
export async function openPasswords(options: PasswordOptions): Promise<Passwords> {
  const queue = semaphore(options);
  const dummyHash = await hashArgon2id(randomBytes(32), options);
  return {
    hash: (password, signal) => queue.run(() => hashArgon2id(normalizePassword(password), options), signal),
    verify: async (passwordHash, password, signal) => {
      const matches = await queue.run(
        () => matchesArgon2id(passwordHash ?? dummyHash, normalizePassword(password)),
        signal,
      );
      return matches && passwordHash !== undefined;
    },
    isOutdated: (passwordHash) => workOf(argon2idCost(passwordHash)) < workOf(options),
  };
}
