import { recordFeatures } from '@esd/record/filter/filter-keys';
import { creatorName } from '@esd/record/metadata/dataset-facts';
import { releaseUrl } from '@esd/record/metadata/description';
import { normalizeDoi } from '@esd/record/metadata/doi';
import { citationText } from '@esd/record/metadata/formats/text';
import type { About } from './file-contents.ts';

const LABELS = { latest: 'Version', version: 'Version', snapshot: 'Snapshot', query: 'Query' } as const;

/** Returns the metadata of a file, one row per item. */
export function aboutRows(about: About): [name: string, text: string | number][] {
  const { facts, name, kind, date, revision, digest, count, filter, sort, doi, license } = about;
  const rows: [string, string | number][] = [
    ['Dataset', facts.title],
    ['Creators', creatorsText(about)],
    [LABELS[kind], name],
    ['Address', addressOf(about)],
    ['Dataset revision', revision],
    ['Date', date.toISOString()],
    ['Records', count],
    ['License', license],
    ['How to cite', `${citation(about)} Cite the papers that the records name, too.`],
    ['Filter', filter ?? 'none: all records'],
  ];
  if (digest !== undefined) rows.push(['Digest of the records', digest]);
  if (sort !== undefined) rows.push(['Order', sort]);
  if (doi !== undefined) rows.push(['DOI', doi]);
  if (kind === 'latest') rows.push(['Note', 'The latest dataset changes; cite a frozen version, which never does.']);
  return rows;
}

/** Returns the URL of the page of a state, which links to its license and DOI. */
export function addressOf({ root, kind, name }: About): string {
  return releaseUrl(root, kind === 'version' ? name : 'latest');
}

export function creatorsText({ facts }: About): string {
  return facts.creators.map(creatorName).join('; ');
}

const NORMALIZED: [name: string, text: string] = [
  'Normalized values',
  'The last columns hold numbers in the unit that their name ends with, as filters compare them.',
];

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

function citation(about: About): string {
  const { facts, kind, name, date: issued, revision, doi } = about;
  return citationText({
    kind: 'dataset',
    facts,
    title: facts.title,
    url: addressOf(about),
    doi: doi === undefined ? undefined : normalizeDoi(doi),
    issued,
    revision,
    version: kind === 'version' ? name : undefined,
  }).trim();
}
