import { services, type Service } from '@esd/dev-stack/service-table';
import { AdminError, EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';
import type { Report } from './report.ts';
import { runServiceCommand } from './service-command.ts';

/** A command of a service that changes something. */
export interface Action {
  service: string;
  words: readonly string[];
}

const hasCommand: Readonly<Record<string, (service: Service) => boolean>> = {
  migrate: ({ database }) => database !== undefined,
  redrive: ({ durables }) => Object.keys(durables).length > 0,
  republish: ({ publishes }) => publishes.length > 0,
  sweep: ({ name }) => name === 'media-svc',
};

/** Returns a command for one service, or for all that have it. Throws an AdminError if the named service lacks it. */
export function actionsOf(command: string, service: string | undefined, words: readonly string[] = []): Action[] {
  const names = services.filter((one) => hasCommand[command]?.(one)).map(({ name }) => name);
  if (service !== undefined && !names.includes(service)) {
    throw new AdminError(EXIT.usage, `${command}: "${service}" is not one of ${names.join(', ')}`);
  }
  return (service === undefined ? names : [service]).map((name) => ({ service: name, words: [command, ...words] }));
}

/** Shows the actions, or runs one after the other with `yes`; each in one replica of its service. */
export async function runActions(
  installation: Installation,
  actions: readonly Action[],
  yes: boolean,
): Promise<Report> {
  if (!yes) {
    const plan = actions.map(({ service, words }) => `${service}: ${words.join(' ')}`);
    const lines = [...plan, 'Nothing is changed. Repeat the command with --yes.'];
    return { json: { isDone: false, plan }, lines, code: EXIT.notDone };
  }
  const results: { service: string; isDone: boolean; lines: string[] }[] = [];
  for (const { service, words } of actions) {
    const { isDone, lines } = await runServiceCommand(installation, service, words);
    results.push({ service, isDone, lines });
  }
  const isDone = results.every((one) => one.isDone);
  return {
    json: { isDone, results },
    lines: results.flatMap((one) => one.lines.map((line) => `${one.service}: ${line}`)),
    code: isDone ? EXIT.done : EXIT.notDone,
  };
}
