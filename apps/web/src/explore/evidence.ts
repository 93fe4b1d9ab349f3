import type { ExploreData, Summary } from '@esd/pages/explore-data';
import { chosenValues, type ExploreView } from '@esd/pages/explore-view';
import { triedFilter } from '@esd/record/metadata/key-labels';
import { countText, numberText } from '../format.ts';
import { featureWords, isFeature, keyName } from '../names.ts';

/** Returns a caution if the papers of the tried experiments report no failed run; otherwise undefined. */
export function noFailureText(summary: Summary | undefined): string | undefined {
  if (!summary) return undefined;
  const { papers, papersReportingFailures, stable } = summary.tried;
  if (papers === 0 || papersReportingFailures > 0 || stable.no > 0 || stable.yes === 0) return undefined;
  const subject = papers === 1 ? 'The only paper does not report' : `None of these ${papers} papers reports`;
  return `${subject} a failed run: 100% says what was published, not how often it works.`;
}

/**
 * Compares the matching experiments with the tried ones, and says which of those cannot match. Undefined if the filter has no result, so that
 * they are the same.
 */
export function triedText(view: ExploreView, { summary }: ExploreData): string | undefined {
  const settings = triedFilter(view.conditions);
  if (!summary || settings.length === view.conditions.length) return undefined;
  const { total, records } = summary;
  const distinct = total < records ? 'distinct ' : '';
  const polymers = chosenValues(view, 'polymer');
  const others = settings.filter(({ key }) => key !== 'polymer' || polymers.length === 0);
  const tried = countText(summary.tried.total, [polymers.join(' or '), 'experiment'].join(' ').trim());
  return [
    `${numberText(total)} ${distinct}${total === 1 ? 'matches' : 'match'}, of ${tried}${others.length > 0 ? ' with these settings' : ''}`,
    ...summary.cannotMatch.filter(({ count }) => count > 0).map(cannotMatchText),
  ].join('; ');
}

function cannotMatchText({ key, count, notStable }: Summary['cannotMatch'][number]): string {
  const who = notStable === count ? countText(count, 'failed run') : countText(count, 'experiment');
  const failed = notStable > 0 && notStable < count ? ` (${numberText(notStable)} of them failed)` : '';
  const verb = isFeature(key) ? (count === 1 ? 'reports no' : 'report no') : count === 1 ? 'has no' : 'have no';
  const what =
    key === 'fiberDiameter'
      ? 'diameter'
      : isFeature(key)
        ? featureWords(key)
        : `value for ${keyName(key).toLowerCase()}`;
  return `${who}${failed} ${verb} ${what} and cannot match`;
}
