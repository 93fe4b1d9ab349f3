import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey, type SigningKey, signingKeySets } from './signing-key.ts';
import { StackError } from './stack-error.ts';
import { writeFileSafely } from './write-file.ts';

/**
 * The random passwords, tokens and keys of one data folder, kept in `secrets.json` (mode 0600) so that a later start continues
 * with the same ones. A secret is made the first time it is asked for.
 */
export class Secrets {
  readonly #file: string;
  readonly #values: Map<string, string>;

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'secrets.json');
    this.#values = readSecrets(this.#file);
  }

  /** A password or token of 32 random bytes. */
  token(name: string): string {
    return this.#get(name, () => randomBytes(32).toString('base64url'));
  }

  /** A P-256 key pair for ES256; its id begins with the name of its `owner` if it has one. */
  signingKey(name: string, owner?: string): SigningKey {
    return signingKeySets(this.#get(name, newSigningKey), owner);
  }

  #get(name: string, make: () => string): string {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const made = make();
    this.#values.set(name, made);
    // Kept before anyone learns it: data that were made with a secret are of no use without it.
    writeFileSafely(this.#file, `${JSON.stringify(Object.fromEntries(this.#values), null, 2)}\n`);
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
      throw new StackError(`${file}: "${name}" is not text: restore the file, or start with a new folder.`);
    secrets.set(name, value);
  }
  return secrets;
}
