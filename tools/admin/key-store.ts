import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secrets } from '@esd/dev-stack/secrets';
import { newSigningKey, signingKeySets, splitSigningKeys } from '@esd/dev-stack/signing-key';
import { member } from '@esd/dev-stack/json-value';
import { services, variableName } from '@esd/dev-stack/service-table';
import { writeFileSafely } from '@esd/dev-stack/write-file';
import { readEnvFile, replaceInEnvFile } from '../deploy/env-file.ts';
import { completeSecrets, newPrivateSet, newToken } from '../deploy/secret-values.ts';
import { AdminError, EXIT } from './admin-error.ts';
import { runProgram } from './installation.ts';

/** One private key of a set, as text that only its store can read. */
export interface StoredKey {
  text: string;
  /** In seconds since 1970; undefined for a key that was created before keys had a time. */
  createdAt: number | undefined;
}

/** The place where an installation stores its key sets and passwords. */
export interface KeyStore {
  /** The name for messages. */
  place: string;
  /** The step after a change, before the restart. */
  afterwards: string | undefined;
  keys(set: KeySetName): StoredKey[];
  newKey(set: KeySetName): StoredKey;
  /** Returns the marker that the step "promote" set: the previous key is second. The times of keys depend on the clock. */
  isPromoted(set: KeySetName): boolean;
  setKeys(set: KeySetName, keys: readonly StoredKey[], isPromoted: boolean): Promise<void>;
  setPassword(service: string, password: string): Promise<void>;
}

/** `session`, `assertion`, or `service:NAME`. */
export type KeySetName = string;

/** The first line of promoted keys in PEM. */
const PROMOTED = 'Promoted\n';

/** Opens the store of a stack in a data folder: secrets.json. */
export function localKeyStore(dataDir: string): KeyStore {
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file))
    throw new AdminError(EXIT.unreachable, `${file} does not exist. Choose the folder of a stack with --data-dir.`);
  const secrets = new Secrets(dataDir);
  const nameOf = (set: KeySetName) =>
    set.startsWith('service:') ? `service-key/${set.slice('service:'.length)}` : `${set}-key`;
  const stored = (text: string): StoredKey => ({ text, createdAt: createdAt(signingKeySets(text).privateSet) });
  return {
    place: file,
    afterwards: 'Restart the stack, which is all of the restarts below.',
    keys: (set) => splitSigningKeys(secrets.find(nameOf(set)) ?? '').map(stored),
    newKey: () => stored(newSigningKey()),
    isPromoted: (set) => secrets.find(nameOf(set))?.startsWith(PROMOTED) ?? false,
    setKeys: async (set, keys, isPromoted) =>
      secrets.set(nameOf(set), [isPromoted ? PROMOTED : '', ...keys.map(({ text }) => text)].join('')),
    setPassword: async (service, password) => secrets.set(`postgres/${databaseOf(service)}`, password),
  };
}

/** Opens the `.env` file of an installation. */
export function envKeyStore(file: string, afterwards?: string): KeyStore {
  if (!existsSync(file))
    throw new AdminError(EXIT.unreachable, `${file} does not exist. Run the command in the folder with ${file}.`);
  return variableStore(file, afterwards, readEnvFile(readFileSync(file, 'utf8')), async (changed) => {
    writeFileSafely(file, replaceInEnvFile(readFileSync(file, 'utf8'), changed));
  });
}

/** Opens the Secret of a cluster from which its other Secrets are derived. */
export async function clusterKeyStore(namespace: string): Promise<KeyStore> {
  const kubectl = ['kubectl', '-n', namespace, '--request-timeout=10s'];
  const { code, stdout, stderr } = await runProgram([...kubectl, 'get', 'secret', 'esd-secrets', '-o', 'json']);
  if (code !== 0) {
    if (!stderr.includes('NotFound'))
      throw new AdminError(
        EXIT.unreachable,
        `The installation is unreachable: ${stderr.trim().split('\n').at(-1) ?? ''}`,
      );
    const message =
      'The cluster has no Secret esd-secrets. Select the file from which you created its Secrets with --env-file FILE.';
    throw new AdminError(EXIT.notDone, message);
  }
  const data = Object.entries(member(JSON.parse(stdout), 'data') ?? {});
  const values = new Map(data.map(([name, value]) => [name, Buffer.from(String(value), 'base64').toString()]));
  const afterwards = 'Run the Job that derives the Secrets of the services from esd-secrets again.';
  return variableStore('Secret esd-secrets', afterwards, values, async (changed) => {
    // Over standard input, because arguments are visible to other users.
    const patch = JSON.stringify({ stringData: Object.fromEntries(changed) });
    const patched = await runProgram([...kubectl, 'patch', 'secret', 'esd-secrets', '--patch-file=/dev/stdin'], {
      input: patch,
    });
    if (patched.code !== 0) throw new AdminError(EXIT.notDone, `The Secret was not changed: ${patched.stderr.trim()}`);
  });
}

function variableStore(
  place: string,
  afterwards: string | undefined,
  values: Map<string, string>,
  write: (changed: Map<string, string>) => Promise<void>,
): KeyStore {
  const set = async (name: string, value: string): Promise<void> => {
    const complete = completeSecrets(new Map([...values, [name, value]]));
    await write(new Map([...complete].filter(([variable, text]) => values.get(variable) !== text)));
  };
  return {
    place,
    afterwards,
    keys: (name) => keysIn(values.get(variableOf(name)) ?? '{"keys":[]}'),
    newKey: (name) => {
      const [key] = keysIn(newPrivateSet(name.startsWith('service:') ? name.slice('service:'.length) : undefined));
      if (!key) throw new Error('a new key set is empty');
      return key;
    },
    isPromoted: (name) => member(JSON.parse(values.get(variableOf(name)) ?? '{}'), 'promoted') === true,
    setKeys: (name, keys, isPromoted) => {
      const list = keys.map(({ text }) => text).join(',');
      return set(variableOf(name), `{"keys":[${list}]${isPromoted ? ',"promoted":true' : ''}}`);
    },
    setPassword: (service, password) => set(`ESD_DATABASE_PASSWORD_${variableName(service)}`, password),
  };
}

function variableOf(name: KeySetName): string {
  if (name.startsWith('service:')) return `ESD_SERVICE_PRIVATE_KEYS_${variableName(name.slice('service:'.length))}`;
  return `ESD_${name.toUpperCase()}_PRIVATE_KEYS`;
}

function keysIn(set: string): StoredKey[] {
  const keys = member(JSON.parse(set), 'keys');
  return (Array.isArray(keys) ? keys : []).map((key: unknown) => {
    const text = JSON.stringify(key);
    return { text, createdAt: createdAt(`{"keys":[${text}]}`) };
  });
}

function createdAt(set: string): number | undefined {
  const iat = member(member(member(JSON.parse(set), 'keys'), '0'), 'iat');
  return typeof iat === 'number' ? iat : undefined;
}

export function databaseOf(service: string): string {
  return services.find(({ name }) => name === service)?.database ?? '';
}

export { newToken };
