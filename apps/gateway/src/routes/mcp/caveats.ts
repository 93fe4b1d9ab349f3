import type { ResponseAt } from '@esd/api/operations';
import { isOftenUnexplained } from '@esd/record/catalog/unexplained';
import { keyLabels } from '@esd/record/metadata/key-labels';

const FEW = 5;

/** Returns the caveats of the response of `/summary`. */
export function ofSummary({
  total,
  records,
  papers,
  tried,
  cannotMatch,
  repeats,
  unexplained,
}: Omit<ResponseAt<'get', '/public/dataset/summary'>, 'version'>): string[] {
  return [
    ...few(total),
    ...(repeats.records === 0
      ? []
      : [
          `${of(repeats.records, records)} matching records repeat another one of the same paper in every published value.${total < records ? ' The numbers count each group of them once.' : ' Use repeats "once" to count each group once.'}`,
        ]),
    ...contradicted(unexplained, total, 'matching records'),
    ...cannotMatch.flatMap(({ key, count, notStable }) =>
      count === 0
        ? []
        : [
            `${of(count, tried.total)} tried records report no ${keyLabels[key].label.toLowerCase()} that the filter can compare, so it hides them; ${notStable} of these runs were not stable.`,
          ],
    ),
    ...(papers > 0 && tried.papersReportingFailures === 0
      ? [`None of the ${tried.papers} papers reports a failed run, so the share of stable runs says little.`]
      : []),
  ];
}

/** Returns the caveats of the response of `/statistics`. */
export function ofStatistics({
  total,
  statistics: of,
}: Omit<ResponseAt<'get', '/public/dataset/statistics'>, 'version'>): string[] {
  const unknown = Object.entries(of).flatMap(([, figures]) => figures.notConvertible);
  const features = unknown.filter((count) => count > 0).length;
  return [
    ...few(total),
    ...(features === 0
      ? []
      : [
          `${features} of ${unknown.length} features have values whose unit cannot be converted; \`notConvertible\` counts them, and the figures leave them out.`,
        ]),
  ];
}

/** Returns the caveats of the response of `/nearest`. */
export function ofNearest({ total, neighbors, byPaper }: ResponseAt<'get', '/public/dataset/nearest'>): string[] {
  return [
    ...few(total),
    ...contradicted(neighbors.filter((one) => one.unexplained !== null).length, neighbors.length, 'neighbors'),
    ...withoutDiameter(neighbors.map((one) => ({ ...one, hasDiameter: one.fiberDiameter !== null }))),
    ...(neighbors.length > 1 && byPaper.length === 1
      ? ['All neighbors come from one paper, so they are not independent.']
      : []),
    ...(neighbors.length === 0 ? [] : ['The neighbors are measurements of similar experiments, not a forecast.']),
  ];
}

/** Returns a caveat about few matching records. */
export function few(total: number): string[] {
  if (total >= FEW) return [];
  return [total === 0 ? 'No record matches.' : `Only ${total} ${total === 1 ? 'record matches' : 'records match'}.`];
}

/** Returns a caveat if other records contradict at least a third of the records. */
function contradicted(count: number, total: number, records: string): string[] {
  if (!isOftenUnexplained(count, total)) return [];
  return [
    `For ${of(count, total)} ${records}, another record of the paper has the same settings and a fiber diameter that differs by more than a factor of 1.5.`,
  ];
}

/** Returns a caveat about listed records that failed and therefore have no diameter. */
export function withoutDiameter(
  records: readonly { isFormationStable: boolean | null; hasDiameter: boolean }[],
): string[] {
  const failed = records.filter((one) => one.isFormationStable === false && !one.hasDiameter).length;
  if (failed === 0) return [];
  return [
    `${of(failed, records.length)} listed records are not stable and report no fiber diameter. A filter by diameter hides them.`,
  ];
}

function of(part: number, whole: number): string {
  return `${part} of ${whole}`;
}
