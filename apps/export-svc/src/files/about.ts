import { normalizeDoi } from '@esd/record/metadata/doi';
import { recordFeatures } from '@esd/record/filter/filter-keys';
import type { About } from './file-contents.ts';

const TITLE = 'Electrospinning Dataset';

const LABELS = { latest: 'Version', version: 'Version', snapshot: 'Snapshot', query: 'Query' } as const;

/** What a file says of itself, a line each. */
export function aboutRows(about: About): [name: string, text: string | number][] {
  const { name, kind, date, revision, count, filter, sort, doi, license } = about;
  const rows: [string, string | number][] = [
    ['Dataset', TITLE],
    [LABELS[kind], name],
    ['Dataset revision', revision],
    ['Date', date.toISOString()],
    ['Records', count],
    ['License', license],
    ['How to cite', citation(about)],
    ['Filter', filter ?? 'none: all records'],
  ];
  if (sort !== undefined) rows.push(['Order', sort]);
  if (doi !== undefined) rows.push(['DOI', doi]);
  if (kind === 'latest') rows.push(['Note', 'The latest dataset changes; cite a frozen version, which never does.']);
  return rows;
}

const NORMALIZED: [name: string, text: string] = [
  'Normalized values',
  'The last columns hold numbers in the unit that their name ends with, as filters compare them.',
];

/** How the file gives units, and the units of filters by column, a line each. */
export function unitRows(normalized = false): [name: string, text: string][] {
  return [
    ...(normalized ? [NORMALIZED] : []),
    ['Units', 'Each quantity stands beside its unit, as it was submitted. Filters compare in these units:'],
    ...recordFeatures.map(({ column, feature, unit }): [string, string] => [
      column,
      `${unit} (${feature}Min, ${feature}Max)`,
    ]),
  ];
}

function citation({ name, kind, date, revision, doi }: About): string {
  const which = kind === 'version' ? `version ${name}` : `dataset revision ${revision}`;
  const where = doi === undefined ? '' : ` https://doi.org/${normalizeDoi(doi)}.`;
  const day = date.toISOString().slice(0, 10);
  return `The authors of ${TITLE}: ${TITLE}, ${which}, ${day}.${where} Cite the papers that the records name, too.`;
}
