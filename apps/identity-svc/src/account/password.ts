import { randomBytes } from 'node:crypto';
import { type Argon2Cost, argon2idCost, hashArgon2id, matchesArgon2id } from './argon2id.ts';
import { semaphore } from './semaphore.ts';

export interface PasswordOptions extends Argon2Cost {
  concurrency: number;
  maxWaiting: number;
}

/** Both methods throw UNAVAILABLE when too many wait, and the reason of the signal when it aborts before their turn. */
export interface Passwords {
  hash(password: string, signal: AbortSignal): Promise<string>;
  /** Returns whether the password matches. Without a hash, does the same work and returns false. */
  verify(passwordHash: string | undefined, password: string, signal: AbortSignal): Promise<boolean>;
  /** Returns whether a hash cost less work than new hashes do. */
  isOutdated(passwordHash: string): boolean;
}

// The longest password, typed in its longest decomposed form, is shorter.
const MAX_RAW_PASSWORD_LENGTH = 1_024;

/**
 * Returns the hashed form of a password (NFKC). A text longer than any password becomes '', which matches no account.
 */
export function normalizePassword(password: string): string {
  return password.length > MAX_RAW_PASSWORD_LENGTH ? '' : password.normalize('NFKC');
}

function workOf({ memoryKib, passes }: Argon2Cost): number {
  return memoryKib * passes;
}

/** Creates a random hash too, against which passwords of unknown accounts are checked. */
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
