import { parseEnv } from 'node:util';
import { completeSecrets, type SecretValues } from './secret-values.ts';

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

/**
 * Completes the text of an `.env` file: lines that are right stay as they are, with comments and order, and what is missing
 * or has to be worked out anew follows them. Without an ESD_PUBLIC_URL it is that of this machine. Throws as `writeEnvFile`.
 */
export function completeEnvFile(text: string): string {
  const known = readEnvFile(text);
  const complete = completeSecrets(known);
  if (!complete.get('ESD_PUBLIC_URL')) complete.set('ESD_PUBLIC_URL', urlOfThisMachine(complete.get('ESD_PORT')));
  const added = new Map([...complete].filter(([name, value]) => known.get(name) !== value));
  const kept = text.split(/\r?\n/).filter((line) => !added.has(/^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? ''));
  const start = kept.join('\n').trimEnd();
  if (added.size === 0) return `${start}\n`;
  return `${start === '' ? '' : `${start}\n\n`}${writeEnvFile(added)}`;
}

/** `port` as ESD_PORT has it: a port or a range, and an address before it. */
function urlOfThisMachine(port = '8080'): string {
  return `http://localhost:${/(\d+)(-\d+)?$/.exec(port)?.[1] ?? '8080'}`;
}
