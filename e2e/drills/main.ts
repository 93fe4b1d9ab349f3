/** `npm run drills [-- NAME…]`: runs the drills and prints their counts. docs/reliability.md describes them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { z } from 'zod';
import { root } from '@esd/dev-stack/root';
import { drills } from './all.ts';
import type { Drill, DrillResult } from './drill.ts';

const names = drills.map(({ name }) => name);
const usage = `Usage: npm run drills -- [options] [NAME…]
Breaks parts of a running system on purpose and counts what is lost. Without names, runs all drills: ${names.join(', ')}.

  --seed N   seed of the random choices; the default is a random number, which is printed
  --part     run only the small part that npm run test:faults runs
  --record   write the results into docs/reliability.md`;

const reliability = join(root, 'docs', 'reliability.md');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    part: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !names.includes(name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no drill ${unknown.join(', ')}.`);
  console.log(usage);
  process.exit(unknown.length > 0 ? 2 : 0);
}
const seed = z.coerce.number().int().min(0).parse(values.seed);

const chosen = drills.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const drill of chosen) {
  console.log(`${drill.name}: seed ${seed}; passes when ${drill.passes}`);
  const result = await runDrill(drill);
  for (const failure of result.failures) console.log(`  ${failure}`);
  console.log(`${drill.name}: ${textOf(result)}${countsOf(result) && `; ${countsOf(result)}`}`);
  if (result.failures.length > 0) process.exitCode = 1;
  if (values.record && result.skipped === undefined) record(drill.name, result);
}
// An error can leave a server behind, which would hold the process.
process.exit();

async function runDrill(drill: Drill): Promise<DrillResult> {
  const say = (line: string) => console.log(`  ${line}`);
  try {
    return await drill.run({ seed, whole: !values.part, say });
  } catch (error) {
    return { counts: {}, failures: [`the drill ended with ${inspect(error)}`] };
  }
}

function textOf({ failures, skipped }: DrillResult): string {
  if (skipped !== undefined) return `skipped, ${skipped}`;
  return failures.length === 0 ? 'passed' : 'failed';
}

function countsOf({ counts }: DrillResult): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/** Replaces the row of a drill in the table of the document. */
function record(name: string, result: DrillResult): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short=10', 'HEAD');
  const cells = [
    `\`${name}\``,
    countsOf(result),
    textOf(result),
    seed,
    `\`${commit}\``,
    new Date().toISOString().slice(0, 10),
  ];
  const lines = readFileSync(reliability, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| \`${name}\``) && line.split('|').length === cells.length + 2);
  if (at < 0)
    throw new Error(`docs/reliability.md has no row for the drill ${name}. Add one to the table of the last run.`);
  lines[at] = `| ${cells.join(' | ')} |`;
  writeFileSync(reliability, lines.join('\n'));
  execFileSync(join(root, 'node_modules', '.bin', 'oxfmt'), [reliability], { cwd: root });
}
