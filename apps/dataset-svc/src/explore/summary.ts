import type { Condition, Filter } from '@esd/record/filter/filter';
import type { CategoryKey, Feature } from '@esd/record/filter/filter-keys';
import { keyFacts } from '@esd/record/metadata/key-facts';
import { isResult, triedFilter } from '@esd/record/metadata/key-labels';
import { FIRST_NUMBER, NO_VALUE } from '../read-index/coded-column.ts';
import { STABILITY } from '../read-index/columns.ts';
import { countCodes } from '../read-index/distribution.ts';
import { type IndexAtState, matchingRows, repeatsIn, totalsOf } from '../read-index/matching-rows.ts';
import { inSteps } from '../read-index/slices.ts';
import { categoryOf, isCategory } from './categories.ts';
import { countUnexplained } from './unexplained.ts';

const NONE = { count: 0, notStable: 0 };
/** Finds the records that are not stable. */
export const FAILED: Filter = [{ kind: 'flag', key: 'isFormationStable', value: false }];

/**
 * Counts the matching and the tried records with their papers and stability, the tried records that lack a value for a result of the
 * filter, and the matching records that repeat another one.
 */
export async function summary(index: IndexAtState, filter: Filter) {
  const rows = await matchingRows(index, filter);
  const tried = await matchingRows(index, triedFilter(filter));
  const { doi } = index.columns.terms;
  const failures = await countCodes(doi, await matchingRows(index, FAILED));
  const ofMatching = await countsOf(index, rows);
  // Without a condition on a result, the tried records are the matching ones.
  const ofTried = tried === rows ? ofMatching : await countsOf(index, tried);
  const cannotMatch = [];
  for (const { key } of keyFacts) {
    const condition = isResult(key) ? filter.find((candidate) => candidate.key === key) : undefined;
    if (!condition) continue;
    const counts = matchesAbsence(condition) ? NONE : await withoutValue(index, tried, key);
    cannotMatch.push({ key, ...counts });
  }
  return {
    ...(await totalsOf(index, rows)),
    papers: countPapers(ofMatching.byPaper),
    stable: ofMatching.stable,
    tried: {
      total: tried.length,
      papers: countPapers(ofTried.byPaper),
      papersReportingFailures: countPapers(ofTried.byPaper.map((count, code) => Math.min(count, failures[code] ?? 0))),
      stable: ofTried.stable,
    },
    cannotMatch,
    repeats: await repeatsIn(index, rows),
    unexplained: await countUnexplained(index, rows),
  };
}

async function countsOf({ columns }: IndexAtState, rows: Int32Array) {
  const stability = await countCodes(columns.stability, rows);
  const { yes, no, unknown } = STABILITY;
  return {
    byPaper: await countCodes(columns.terms.doi, rows),
    stable: { yes: stability[yes] ?? 0, no: stability[no] ?? 0, unknown: stability[unknown] ?? 0 },
  };
}

/** Counts the papers that occur, of counts by the code of the DOI. */
function countPapers(byCode: Int32Array): number {
  let papers = 0;
  for (let code = NO_VALUE + 1; code < byCode.length; code += 1) if ((byCode[code] ?? 0) > 0) papers += 1;
  return papers;
}

/** Counts the rows without a value that a filter can compare, and those of them that are not stable. */
async function withoutValue(index: IndexAtState, rows: Int32Array, key: Feature | CategoryKey) {
  const counts = { ...NONE };
  const { codes, first } = isCategory(key)
    ? { codes: (await categoryOf(index, key)).column.codes, first: NO_VALUE + 1 }
    : { codes: index.columns.features[key].codes, first: FIRST_NUMBER };
  const { codes: stability } = index.columns.stability;
  await inSteps(rows, (slots) => {
    for (let at = 0, end = slots.length; at < end; at += 1) {
      const slot = slots[at] ?? 0;
      if ((codes[slot] ?? 0) >= first) continue;
      counts.count += 1;
      if (stability[slot] === STABILITY.no) counts.notStable += 1;
    }
  });
  return counts;
}

/** Returns whether a condition matches the records without a value. */
function matchesAbsence(condition: Condition): boolean {
  return condition.kind === 'values' && condition.values.length === 0;
}
