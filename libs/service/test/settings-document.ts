import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { z } from 'zod';
import {
  databaseSettings,
  natsSettings,
  objectStoreSettings,
  processSettings,
  rpcServerSettings,
} from '../src/config.ts';

type Settings = Readonly<Record<string, z.ZodType>>;

const root = new URL('../../../', import.meta.url);

export const documentFile = new URL('docs/settings.md', root);

const shared: [title: string, settings: Settings][] = [
  ['Every process', processSettings],
  ['Every gRPC service', rpcServerSettings],
  ['A service with a database', databaseSettings],
  ['A process that connects to NATS', natsSettings],
  ['A service that stores objects', objectStoreSettings],
];

/** Returns the settings of the `config.ts` of every process as Markdown. */
export async function settingsDocument(): Promise<string> {
  // apps/web is built into the gateway.
  const processes = readdirSync(new URL('apps/', root))
    .filter((name) => name !== 'web')
    .sort();
  const all = await Promise.all(processes.map(async (name) => ({ name, settings: await settingsOf(name) })));
  const common = shared.map(([title, settings]) => {
    const users = all.filter((one) => Object.keys(settings).every((name) => name in one.settings));
    return `## ${title}\n\nUsed by: ${users.map(({ name }) => name).join(', ')}.\n\n${table(Object.entries(settings))}`;
  });
  const own = all.map(({ name, settings }) => {
    const isShared = (setting: string): boolean => shared.some(([, group]) => setting in group);
    const rest = Object.entries(settings).filter(([setting]) => !isShared(setting));
    return `## ${name}\n\n${rest.length > 0 ? table(rest) : 'No other settings.'}`;
  });
  const { code } = await format(fileURLToPath(documentFile), [HEAD, ...common, ...own].join('\n\n'));
  return code;
}

const HEAD = `# Settings

Every process reads its settings from the environment at start. If settings are missing or invalid, it exits with a message
that names them. Secrets are never logged. The local stack (\`npm start\`) sets required settings and passes on its environment.
[limits.md](limits.md) lists all limits, also those without a setting, and defines for whom they hold.

\`npm run docs:settings\` generates this file from the \`config.ts\` of each process; a test fails if it is not up to date.`;

async function settingsOf(name: string): Promise<Settings> {
  const exported: unknown = await import(new URL(`apps/${name}/src/config.ts`, root).href);
  const found = Object.values(z.record(z.string(), z.unknown()).parse({ ...Object(exported) })).find(isSettings);
  if (!found) throw new Error(`apps/${name}/src/config.ts exports no settings`);
  return found;
}

function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => one instanceof z.ZodType);
}

function table(settings: [name: string, schema: z.ZodType][]): string {
  const rows = settings.map(([name, schema]) => {
    const [, secret, meaning = ''] = /^(Secret\. )?(.*)$/s.exec(schema.description ?? '') ?? [];
    if (meaning === '') throw new Error(`${name} has no description`);
    return `| \`${name}\` | ${defaultOf(schema)} | ${secret ? 'yes' : ''} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return ['| variable | default | secret | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function defaultOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const value: unknown = schema.def.defaultValue;
    return value === '' ? 'empty' : `\`${String(value)}\``;
  }
  return schema instanceof z.ZodOptional ? 'none' : 'required';
}
