import type { SweepReport } from './sweep.ts';
import { CLAIM_HOURS, UNATTACHED_DAYS } from './sweep-images.ts';

const WORDS: readonly (readonly [keyof SweepReport, string])[] = [
  ['deleted', `images deleted, which no record had for ${UNATTACHED_DAYS} days`],
  ['released', `images set free, whose records did not come to be within ${CLAIM_HOURS} hour`],
  ['reattached', 'images attached again, which a record holds'],
  ['removed', 'objects removed, which belonged to no image'],
  ['incomplete', 'uploads to the store ended, which were never finished'],
  ['missing', 'objects MISSING in the store, which images need: upload the same images again, or restore the bucket'],
];

/** What a sweep did, for a person: a line for each kind of thing with its number, and the ids or keys below it. */
export function sweepText(report: SweepReport | undefined): string {
  if (!report) return 'Nothing was done: another sweep is under way.\n';
  return WORDS.flatMap(([name, words]) => [`${report[name].length} ${words}`, ...report[name].map((id) => `  ${id}`)])
    .map((line) => `${line}\n`)
    .join('');
}
