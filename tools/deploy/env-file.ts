import { parseEnv } from 'node:util';
import type { SecretValues } from './secret-values.ts';

/** Reads the text of an `.env` file. */
export function readEnvFile(text: string): Map<string, string> {
  return new Map(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']));
}

/** The text of an `.env` file that compose (1.29 and 2) and `readEnvFile` read alike. Throws an Error for a value that it cannot hold. */
export function writeEnvFile(values: SecretValues): string {
  const lines = [...values].map(([name, value]) => {
    if (/['\n\r]/.test(value)) throw new Error(`${name}: a value in .env cannot have a line break or a '`);
    return /^[\w.:/@=,-]*$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;
  });
  return `${lines.join('\n')}\n`;
}
