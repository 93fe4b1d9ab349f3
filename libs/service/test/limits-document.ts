import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Allowance, ALLOWANCES } from '@esd/api/allowances';
import { format } from 'oxfmt';
import { QUEUES } from '../src/names/queues.ts';

export const documentFile = new URL('../../../docs/limits.md', import.meta.url);

/** Returns docs/limits.md with the current table of allowances, or of queues, between each pair of its comments. */
export async function limitsDocument(): Promise<string> {
  const tables = new Map(Object.entries(ALLOWANCES).map(([section, rows]) => [section, allowanceTable(section, rows)]));
  tables.set('queues', queueTable());
  const text = readFileSync(documentFile, 'utf8').replace(
    /(<!-- (\w+): npm run docs:limits -->).*?(?=<!-- end -->)/gs,
    (_, comment: string, section: string) => {
      const rows = tables.get(section);
      if (rows === undefined)
        throw new Error(`docs/limits.md names the section ${section}, which is missing or repeated`);
      tables.delete(section);
      return [comment, rows, ''].join('\n\n');
    },
  );
  if (tables.size > 0) throw new Error(`docs/limits.md lacks the sections ${[...tables.keys()].join(', ')}`);
  const { code } = await format(fileURLToPath(documentFile), text);
  return code;
}

function allowanceTable(section: string, allowances: Readonly<Record<string, Allowance>>): string {
  const rows = Object.entries(allowances).map(([key, { resource, amount, unit, window, of, beyond, setting }]) => [
    section === 'requests' ? `\`${key}\`: ${resource}` : resource,
    [amount.toLocaleString('en'), unit].join(' ').trim(),
    window === undefined ? of : `${window} and ${of}`,
    beyond,
    setting === undefined ? '' : `\`${setting}\``,
  ]);
  return table(['resource', 'maximum', 'per', 'beyond it', 'setting'], rows);
}

function queueTable(): string {
  const rows = Object.entries(QUEUES).map(([queue, { service, concurrency, maxWaiting }]) => [
    `\`${queue}\``,
    service,
    concurrency.toLocaleString('en'),
    maxWaiting.toLocaleString('en'),
  ]);
  return table(['queue', 'service', 'running', 'waiting'], rows);
}

function table(head: readonly string[], rows: readonly string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
