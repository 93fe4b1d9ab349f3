import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

export type Row = Readonly<Record<string, string | number>>;

export interface Target {
  what: string;
  measured: number;
  atLeast?: number;
  atMost?: number;
}

export interface Part {
  title: string;
  notes: string[];
  rows: Row[];
  targets: Target[];
}

export interface Report {
  startedAt: string;
  machine: Row;
  settings: Row;
  parts: Part[];
}

export function describeMachine(): Row {
  const [load = NaN] = loadavg();
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    'memory GB': totalmem() / 2 ** 30,
    'load average at the start': load,
    node: process.version,
    commit: commit(),
  };
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, {
        cwd: import.meta.dirname,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with local changes');
  } catch {
    return 'unknown';
  }
}

export function writeReport(folder: string, report: Report): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, 'bench.md'), markdown(report));
}

/** Returns the whole report as Markdown, targets first. */
export function markdown({ startedAt, machine, settings, parts }: Report): string {
  const targets = parts.flatMap((part) => part.targets);
  return [
    `# Benchmark of ${startedAt}`,
    'The load generator runs on the same machine and shares its cores. Ratios apply to other machines; absolute numbers do not.',
    table([{ ...machine, ...settings }]),
    ...(targets.length === 0 ? [] : ['## Targets', table(targets.map(targetRow))]),
    ...parts.map(partMarkdown),
  ].join('\n\n');
}

export function partMarkdown({ title, notes, rows }: Part): string {
  return [`## ${title}`, ...(notes.length === 0 ? [] : [notes.join(' ')]), table(rows)].join('\n\n') + '\n';
}

function targetRow({ what, measured, atLeast, atMost }: Target): Row {
  const met = measured >= (atLeast ?? -Infinity) && measured <= (atMost ?? Infinity);
  return {
    what,
    target: atLeast === undefined ? `≤ ${atMost ?? ''}` : `≥ ${atLeast}`,
    measured,
    met: met ? 'yes' : 'no',
  };
}

function table(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => cell(row[column])))),
  ].join('\n');
}

function cell(value: string | number | undefined): string {
  if (typeof value !== 'number') return value ?? '';
  if (Number.isInteger(value) || Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
