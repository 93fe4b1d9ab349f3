import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey, type SigningKey, signingKeySets } from './signing-key.ts';
import { StackError } from './stack-error.ts';
import { writeFileSafely } from './write-file.ts';

/** The random secrets of one data folder, stored in `secrets.json` (mode 0600). Each is created at its first use. */
export class Secrets {
  readonly #file: string;
  readonly #values: Map<string, string>;

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'secrets.json');
    this.#values = readSecrets(this.#file);
  }

  /** Returns a password or token of 32 random bytes (base64url). */
  token(name: string): string {
    return this.#get(name, () => randomBytes(32).toString('base64url'));
  }

  /** Returns a P-256 key pair for ES256. Its id begins with `owner`, if given. */
  signingKey(name: string, owner?: string): SigningKey {
    return signingKeySets(this.#get(name, newSigningKey), owner);
  }

  /** Returns a stored secret as text, or undefined. */
  find(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Replaces a secret. Running processes keep the previous one. */
  set(name: string, value: string): void {
    this.#values.set(name, value);
    this.#store();
  }

  #store(): void {
    writeFileSafely(this.#file, `${JSON.stringify(Object.fromEntries(this.#values), null, 2)}\n`);
  }

  #get(name: string, make: () => string): string {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const made = make();
    this.#values.set(name, made);
    // Stored before its first use, because data created with a lost secret are unusable.
    this.#store();
    return made;
  }
}

function readSecrets(file: string): Map<string, string> {
  if (!existsSync(file)) return new Map();
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const entries = typeof content === 'object' && content !== null ? Object.entries(content) : [];
  const secrets = new Map<string, string>();
  for (const [name, value] of entries) {
    if (typeof value !== 'string')
      throw new StackError(
        `${file}: "${name}" is not a string. Restore the file, or choose a new folder with --data-dir.`,
      );
    secrets.set(name, value);
  }
  return secrets;
}
