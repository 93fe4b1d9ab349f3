import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export interface Argon2Cost {
  memoryKib: number;
  passes: number;
  lanes: number;
}

const derive = promisify(argon2);
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Returns an Argon2id hash (RFC 9106) with a random salt, as a PHC string. Runs in Node's thread pool. */
export async function hashArgon2id(
  password: string | Buffer,
  { memoryKib, passes, lanes }: Argon2Cost,
): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const hash = await derive('argon2id', {
    message: password,
    nonce,
    parallelism: lanes,
    tagLength: HASH_BYTES,
    memory: memoryKib,
    passes,
  });
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${base64(nonce)}$${base64(hash)}`;
}

/** Returns the cost of a hash. Throws if the text is not an Argon2id PHC string. */
export function argon2idCost(phc: string): Argon2Cost {
  const [, memory = '', passes = '', lanes = ''] = PHC.exec(phc) ?? [];
  if (memory === '') throw new Error('the password hash is not an Argon2id PHC string');
  return { memoryKib: Number(memory), passes: Number(passes), lanes: Number(lanes) };
}

export async function matchesArgon2id(phc: string, password: string): Promise<boolean> {
  const { memoryKib, passes, lanes } = argon2idCost(phc);
  const [, , , , salt = '', hash = ''] = PHC.exec(phc) ?? [];
  const expected = Buffer.from(hash, 'base64');
  const found = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    parallelism: lanes,
    tagLength: expected.length,
    memory: memoryKib,
    passes,
  });
  return timingSafeEqual(found, expected);
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
