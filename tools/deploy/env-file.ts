import { parseEnv } from 'node:util';
import { completeSecrets, type SecretValues } from './secret-values.ts';

export function readEnvFile(text: string): Map<string, string> {
  return new Map(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']));
}

/** Returns the text of an `.env` file that compose (1.29 and 2) and `readEnvFile` parse identically. Throws an Error for other values. */
export function writeEnvFile(values: SecretValues): string {
  const lines = [...values].map(([name, value]) => {
    if (/['\n\r]/.test(value))
      throw new Error(`${name}: a value in .env must not contain a line break or a single quote`);
    return /^[\w.:/@=,-]*$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;
  });
  return `${lines.join('\n')}\n`;
}

/**
 * Completes the text of an `.env` file. Preserves valid lines, comments and their order; appends missing and recomputed values. The
 * default of ESD_PUBLIC_URL is the URL of this machine. Throws as `writeEnvFile` does.
 */
export function completeEnvFile(text: string): string {
  const known = readEnvFile(text);
  const complete = completeSecrets(known);
  if (!complete.get('ESD_PUBLIC_URL')) complete.set('ESD_PUBLIC_URL', urlOfThisMachine(complete.get('ESD_PORT')));
  return replaceInEnvFile(text, new Map([...complete].filter(([name, value]) => known.get(name) !== value)));
}

/** Replaces values in the text of an `.env` file, and appends new ones. Throws as `writeEnvFile` does. */
export function replaceInEnvFile(text: string, added: SecretValues): string {
  const remaining = text
    .split(/\r?\n/)
    .filter((line) => !added.has(/^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? ''));
  const start = remaining.join('\n').trimEnd();
  if (added.size === 0) return `${start}\n`;
  return `${start === '' ? '' : `${start}\n\n`}${writeEnvFile(added)}`;
}

/** `port` has the format of ESD_PORT: a port or a range, optionally after an address. */
function urlOfThisMachine(port = '8080'): string {
  return `http://localhost:${/(\d+)(-\d+)?$/.exec(port)?.[1] ?? '8080'}`;
}
