import { services } from '@esd/dev-stack/service-table';
import { AdminError, EXIT } from './admin-error.ts';
import { databaseOf, type KeySetName, type KeyStore, newToken, type StoredKey } from './key-store.ts';
import { COMPOSE, runProgram, type Selection } from './installation.ts';
import type { Report } from './report.ts';
import { duration, table } from './status.ts';

const names = services.map(({ name }) => name);
const sets: readonly KeySetName[] = ['session', 'assertion', ...names.map((name) => `service:${name}`)];
const passwords = services.flatMap(({ name, database }) => (database === undefined ? [] : [`password:${name}`]));

/** The names that `keys rotate` accepts. */
export const keyNames: readonly string[] = [...sets, ...passwords];

interface Step {
  name: 'add' | 'promote' | 'remove';
  keys: StoredKey[];
}

/** Lists the key sets with the age of their keys and their next step. */
export function keysReport(store: KeyStore): Report {
  const list = sets.map((name) => {
    const keys = store.keys(name);
    const isInStep = keys.length === 1 || keys.length === 2;
    return {
      name,
      ages: keys.map(ageOf),
      next: isInStep ? stepOf(keys, store.isPromoted(name), undefined).name : `none: ${keys.length} keys`,
    };
  });
  const rows = list.map(({ name, ages, next }) => [
    name,
    ages.map((age) => (age === null ? 'unknown' : duration(age))).join(', '),
    next,
  ]);
  return {
    json: { place: store.place, keys: list },
    lines: [...table([['NAME', 'AGE', 'NEXT STEP'], ...rows]), '', `passwords: ${passwords.join(', ')}`],
    code: EXIT.done,
  };
}

type AlterRole = (role: string, password: string) => Promise<void>;

/** Returns a function that changes a password in PostgreSQL; undefined for a local stack, which does it at its start. */
export function alterRole({ dataDir, kubernetes }: Selection): AlterRole | undefined {
  if (dataDir !== undefined) return undefined;
  const usual =
    kubernetes === undefined
      ? [...COMPOSE, 'exec', '-T', 'postgres']
      : ['kubectl', '-n', kubernetes, 'exec', '-i', 'postgres-0', '--'];
  const prefix = process.env['ESD_POSTGRES']?.split(' ') ?? usual;
  return async (role, password) => {
    const command = [...prefix, 'psql', '-U', 'postgres', '-X', '-q', '-v', 'ON_ERROR_STOP=1'];
    // Over standard input, because arguments are visible to other users.
    const { code, stderr } = await runProgram(command, { input: `alter role ${role} password '${password}';\n` });
    if (code !== 0)
      throw new AdminError(
        EXIT.notDone,
        `PostgreSQL did not change the password: ${stderr.trim().split('\n')[0] ?? ''}`,
      );
  };
}

/** Shows the next step of a rotation, or takes it with `yes`. `alter` sets the password of a database role. */
export async function rotate(
  store: KeyStore,
  name: string,
  yes: boolean,
  alter: AlterRole | undefined,
): Promise<Report> {
  const lines = sets.includes(name) ? await rotateKey(store, name, yes) : await rotatePassword(store, name, yes, alter);
  const end = yes ? `${store.place} is changed.` : 'Nothing is changed. Repeat the command with --yes.';
  return {
    json: { name, place: store.place, isDone: yes, steps: lines },
    lines: [...lines, end],
    code: yes ? EXIT.done : EXIT.notDone,
  };
}

async function rotateKey(store: KeyStore, set: KeySetName, yes: boolean): Promise<string[]> {
  const known = store.keys(set);
  if (known.length === 0)
    throw new AdminError(
      EXIT.notDone,
      `${store.place} has no key for ${set}. Create it with tools/deploy/secrets.ts env.`,
    );
  const step = stepOf(known, store.isPromoted(set), store.newKey(set));
  if (yes) await store.setKeys(set, step.keys, step.name === 'promote');
  const holder = set.startsWith('service:') ? set.slice('service:'.length) : 'identity-svc';
  const all = 'all services';
  const says = {
    add: [
      '1 of 3, add: a new key is accepted; the previous key still signs.',
      `Restart ${set === 'session' ? holder : all}.`,
      `Then promote the new key: keys rotate ${set}`,
    ],
    promote: [
      '2 of 3, promote: the new key signs; the previous key is still accepted.',
      `Restart ${holder}.`,
      `Wait ${set === 'session' ? 'a day' : 'two minutes'}, until no valid token is signed with the previous key. Then remove it: keys rotate ${set}`,
    ],
    remove: ['3 of 3, remove: the previous key is no longer accepted.', `Restart ${set === 'session' ? holder : all}.`],
  }[step.name];
  return [says[0] ?? '', ...(store.afterwards === undefined ? [] : [store.afterwards]), ...says.slice(1)];
}

/** Returns the next step of a set whose first key signs. With two keys, `isPromoted` tells whether the first one is the new key. */
function stepOf(keys: readonly StoredKey[], isPromoted: boolean, added: StoredKey | undefined): Step {
  const [first, second, ...more] = keys;
  if (!first || more.length > 0) {
    const message = `A key set with ${keys.length} keys is in no step of a rotation. Reduce it to one key, the one that signs.`;
    throw new AdminError(EXIT.notDone, message);
  }
  if (!second) return { name: 'add', keys: added ? [first, added] : [first] };
  return isPromoted ? { name: 'remove', keys: [first] } : { name: 'promote', keys: [second, first] };
}

async function rotatePassword(
  store: KeyStore,
  name: string,
  yes: boolean,
  alter: AlterRole | undefined,
): Promise<string[]> {
  const service = name.slice('password:'.length);
  const role = databaseOf(service);
  if (yes) {
    const password = newToken();
    // Stored after the role has it: a failure leaves the previous password in both places or can be repeated.
    await alter?.(role, password);
    await store.setPassword(service, password);
  }
  return [
    ...(alter ? [`PostgreSQL: ALTER ROLE ${role} PASSWORD '<a new random password>'`] : []),
    ...(store.afterwards === undefined ? [] : [store.afterwards]),
    `Restart ${service} immediately: open connections continue, new ones need the new password.`,
  ];
}

function ageOf({ createdAt }: StoredKey): number | null {
  return createdAt === undefined ? null : Date.now() / 1000 - createdAt;
}
