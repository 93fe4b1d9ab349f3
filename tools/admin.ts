/** The operator's command; see docs/operations.md. It runs commands of the services where they run, and stores nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AdminError, EXIT } from './admin/admin-error.ts';
import { openInstallation } from './admin/installation.ts';
import { recordReport } from './admin/record.ts';
import type { Report } from './admin/report.ts';
import { statusReport } from './admin/status.ts';

const USAGE = `Usage: esd-admin COMMAND [--compose | --kubernetes NAMESPACE | --data-dir DIR] [--yes] [--json]

  status       the state of every process, of the events and of the dataset
  record ID    how far a record is on its way to readers`;

try {
  const report = await run();
  const { json, lines, code } = report;
  console.log(options().values.json ? JSON.stringify(json) : lines.join('\n'));
  process.exitCode = code;
} catch (error) {
  const { code, message } =
    error instanceof AdminError
      ? error
      : new AdminError(EXIT.notDone, error instanceof Error ? error.message : String(error));
  console.error(message);
  process.exitCode = code;
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        compose: { type: 'boolean', default: false },
        kubernetes: { type: 'string' },
        'data-dir': { type: 'string' },
        json: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? '') : String(error));
  }
}

function run(): Promise<Report> {
  const { values, positionals } = options();
  const [command, ...args] = positionals;
  const { compose, kubernetes, 'data-dir': dataDir, help } = values;
  if (help) return Promise.resolve({ json: { usage: USAGE }, lines: [USAGE], code: EXIT.done });
  if ([compose, kubernetes, dataDir].filter((one) => one !== undefined && one !== false).length > 1)
    throw usage('Choose one of --compose, --kubernetes NAMESPACE, and --data-dir DIR');
  const isLocal = !compose && kubernetes === undefined && existsSync(join('.esd', 'stack.json'));
  const installation = openInstallation({ kubernetes, dataDir: dataDir ?? (isLocal ? '.esd' : undefined) });
  const [first = '', ...more] = args;
  switch (command) {
    case 'status':
      if (args.length > 0) throw usage('status takes no argument');
      return statusReport(installation);
    case 'record':
      if (!/^[1-9]\d{0,15}$/.test(first) || more.length > 0)
        throw usage(`record: "${args.join(' ')}" is not a record id, such as 17`);
      return recordReport(installation, first);
    default:
      throw usage(command === undefined ? 'A command is missing' : `"${command}" is not a command`);
  }
}

function usage(problem: string): AdminError {
  return new AdminError(EXIT.usage, `${problem}. Commands: status, record ID.`);
}
