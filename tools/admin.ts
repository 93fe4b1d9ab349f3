/** The operator's command; see docs/operations.md. It runs commands of the services where they run, and stores nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gatewayUrlOf } from '@esd/dev-stack/stack-file';
import { AdminError, EXIT } from './admin/admin-error.ts';
import { backUp, checkBackup, restore } from './admin/backup.ts';
import { eventsReport } from './admin/events.ts';
import { openInstallation, type Selection } from './admin/installation.ts';
import { clusterKeyStore, envKeyStore, type KeyStore, localKeyStore } from './admin/key-store.ts';
import { alterRole, keyNames, keysReport, rotate } from './admin/keys.ts';
import { recordReport } from './admin/record.ts';
import type { Report } from './admin/report.ts';
import { type Action, actionsOf, runActions } from './admin/service-actions.ts';
import { statusReport } from './admin/status.ts';
import { verifyRelease } from './verify-release.ts';

const COMMANDS = `  status                          the state of every process, of the events and of the dataset
  record ID                       how far a record is on its way to readers
  events                          outboxes, consumers and dead letters
  events redrive [SERVICE]        process dead letters again
  events republish [SERVICE] [--since TIME]
                                  publish events again
  backup DIR                      back up into a new folder in DIR
  backup check DIR/TIME           compare the hashes of a backup, and read its dumps
  restore DIR/TIME                restore into an empty installation
  restore --recovered             what follows when the databases have recovered themselves
  verify VERSION [--url URL]      verify a release
  keys                            the age and the next step of each key set
  keys rotate NAME                the next step of a rotation
  two-factor reset EMAIL          turn two-factor sign-in of an account off
  sweep [SERVICE]                 delete unused images
  migrate [SERVICE]               migrate databases`;

const HELP = `Usage: esd-admin COMMAND [options]

${COMMANDS}

  --compose                the compose project of this folder (the default, unless .esd/stack.json exists)
  --kubernetes NAMESPACE   the namespace of a cluster
  --data-dir DIR           the stack of npm start in a folder
  --env-file FILE          the file with the keys (.env)
  --yes                    make the change; without it, a command only shows its plan
  --json                   print one JSON object

Exit codes: 0 success, 1 warnings or not done, 2 wrong usage, 3 unreachable,
4 done except for objects that are missing, damaged or changed.`;

const OPTIONS = {
  compose: { type: 'boolean', default: false },
  kubernetes: { type: 'string' },
  'data-dir': { type: 'string' },
  'env-file': { type: 'string' },
  since: { type: 'string' },
  url: { type: 'string' },
  recovered: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

try {
  const { values, positionals } = readArguments();
  const { json, lines, code } = await run(positionals, values);
  console.log(values.json ? JSON.stringify(json) : lines.join('\n'));
  process.exitCode = code;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof AdminError ? error.code : EXIT.notDone;
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const accepted = Object.keys(OPTIONS).map((name) => `--${name}`);
    throw new AdminError(EXIT.usage, `${message.split(/\. |\n/)[0] ?? ''}. Options: ${accepted.join(', ')}.`);
  }
}

async function run(words: readonly string[], values: ReturnType<typeof readArguments>['values']): Promise<Report> {
  const { yes, since } = values;
  if (values.help) return { json: { help: HELP }, lines: [HELP], code: EXIT.done };
  const selection = selectionOf(values);
  const installation = openInstallation(selection);
  const act = (actions: readonly Action[]) => runActions(installation, actions, yes);
  const [command = '', first, second, ...more] = words;
  const count = words.length - 1;
  const is = (name: string, least: number, most = least) => command === name && count >= least && count <= most;
  if (more.length > 0) throw usage(words);
  if (is('status', 0)) return statusReport(installation);
  if (is('record', 1)) return recordReport(installation, recordId(first ?? ''));
  if (is('events', 0)) return eventsReport(installation);
  if (is('events', 1, 2) && first === 'redrive') return act(actionsOf('redrive', second));
  if (is('events', 1, 2) && first === 'republish')
    return act(actionsOf('republish', second, since ? [time(since)] : []));
  if (is('backup', 2) && first === 'check') return checkBackup(second ?? '');
  if (is('backup', 1)) return backUp(selection, first ?? '');
  if (is('restore', 0) && values.recovered) {
    return act([{ service: 'dataset-svc', words: ['dataset-id'] }, ...actionsOf('republish', undefined)]);
  }
  if (is('restore', 1) && !values.recovered) return restore(selection, first ?? '', yes);
  if (is('verify', 1)) return verify(first ?? '', values.url ?? urlOf(selection));
  if (is('keys', 0)) return keysReport(await keyStoreOf(selection, values['env-file']));
  if (is('keys', 2) && first === 'rotate') {
    if (!keyNames.includes(second ?? '')) {
      throw new AdminError(EXIT.usage, `keys rotate: "${second}" is not one of ${keyNames.join(', ')}`);
    }
    return rotate(await keyStoreOf(selection, values['env-file']), second ?? '', yes, alterRole(selection));
  }
  if (is('two-factor', 2) && first === 'reset') {
    return act([{ service: 'identity-svc', words: ['two-factor-reset', second ?? ''] }]);
  }
  if (is('sweep', 0, 1)) return act(actionsOf('sweep', first));
  if (is('migrate', 0, 1)) return act(actionsOf('migrate', first));
  throw usage(words);
}

function usage(words: readonly string[]): AdminError {
  const accepted = COMMANDS.split('\n').flatMap((line) => /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1] ?? []);
  return new AdminError(EXIT.usage, `"${words.join(' ')}" is not a command. Commands: ${accepted.join(', ')}.`);
}

function selectionOf(values: ReturnType<typeof readArguments>['values']): Selection {
  const { compose, kubernetes, 'data-dir': dataDir } = values;
  if (Number(compose) + Number(kubernetes !== undefined) + Number(dataDir !== undefined) > 1) {
    throw new AdminError(EXIT.usage, 'Choose one of --compose, --kubernetes NAMESPACE, and --data-dir DIR.');
  }
  const isLocal = !compose && kubernetes === undefined && existsSync(join('.esd', 'stack.json'));
  return { kubernetes, dataDir: dataDir ?? (isLocal ? '.esd' : undefined) };
}

function recordId(text: string): string {
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  throw new AdminError(EXIT.usage, `record: "${text}" is not a record id, such as 17`);
}

function time(text: string): string {
  if (!Number.isNaN(Date.parse(text))) return text;
  throw new AdminError(EXIT.usage, `--since: "${text}" is not a time, such as 2026-01-31T12:00:00Z`);
}

function urlOf({ dataDir }: Selection): string {
  return (dataDir === undefined ? undefined : gatewayUrlOf(dataDir)) ?? 'http://localhost:8080';
}

async function verify(version: string, url: string): Promise<Report> {
  const lines: string[] = [];
  const isWhole = await verifyRelease({
    url,
    version,
    signal: AbortSignal.timeout(3_600_000),
    say: (line) => lines.push(line),
  });
  return { json: { version, url, isWhole, lines }, lines, code: isWhole ? EXIT.done : EXIT.notDone };
}

function keyStoreOf({ dataDir, kubernetes }: Selection, file: string | undefined): Promise<KeyStore> | KeyStore {
  if (dataDir !== undefined) return localKeyStore(dataDir);
  if (kubernetes === undefined)
    return envKeyStore(
      file ?? '.env',
      'Run docker compose up -d, which replaces the containers with changed variables.',
    );
  if (file === undefined) return clusterKeyStore(kubernetes);
  return envKeyStore(
    file,
    `Run: node tools/deploy/secrets.ts kubernetes < ${file} | kubectl -n ${kubernetes} apply -f -`,
  );
}
