import type { SweepReport } from './sweep.ts';
import { CLAIM_HOURS, UNATTACHED_DAYS } from './sweep-images.ts';

const WORDS: readonly (readonly [keyof SweepReport, string])[] = [
  ['deleted', `images deleted: unattached for ${UNATTACHED_DAYS} days`],
  ['released', `images released: no record stored within ${CLAIM_HOURS} hour`],
  ['reattached', 'images reattached: contained in a record'],
  ['removed', 'objects removed: without an image'],
  ['incomplete', 'uploads to the store aborted: never finished'],
  ['missing', 'objects MISSING in the store: upload the same images again, or restore the bucket'],
];

/** Formats a sweep report: for each kind of change, a line with the count, followed by the ids or keys. */
export function sweepText(report: SweepReport | undefined): string {
  if (!report) return 'Nothing was done: another sweep is running.\n';
  return WORDS.flatMap(([name, words]) => [`${report[name].length} ${words}`, ...report[name].map((id) => `  ${id}`)])
    .map((line) => `${line}\n`)
    .join('');
}
