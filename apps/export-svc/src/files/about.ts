import { recordFeatures } from '@esd/record/filter/filter-keys';
import { creatorName } from '@esd/record/metadata/dataset-facts';
import { releaseUrl } from '@esd/record/metadata/description';
import { normalizeDoi } from '@esd/record/metadata/doi';
import { citationText } from '@esd/record/metadata/formats/text';
import type { About } from './file-contents.ts';

const LABELS = { latest: 'Version', version: 'Version', snapshot: 'Snapshot', query: 'Query' } as const;

/** Returns the metadata of a file, one row per item. A change of these texts requires a higher `BUILDER`. */
export function aboutRows(about: About): [name: string, text: string | number][] {
  const { facts, name, kind, date, revision, digest, count, filter, sort, once, doi, license } = about;
  const rows: [string, string | number][] = [
    ['Dataset', facts.title],
    ['Creators', creatorsText(about)],
    [LABELS[kind], name],
    ['URL', addressOf(about)],
    ['Dataset revision', revision],
    ['Date', date.toISOString()],
    ['Records', count],
    ['License', license],
    ['How to cite', `${citation(about)} Also cite the papers of the records that you use.`],
    ['Filter', filter ?? 'none (all records)'],
  ];
  if (digest !== undefined) rows.push(['Digest of the records (SHA-256)', digest]);
  if (sort !== undefined) rows.push(['Order', sort]);
  if (once)
    rows.push(['Repeats', 'Each group of records that repeat each other is one record, the one with the lowest id.']);
  if (doi !== undefined) rows.push(['DOI', doi]);
  if (kind === 'latest')
    rows.push([
      'Note',
      'The latest dataset changes with each approved record. Cite a release instead: its files never change.',
    ]);
  return rows;
}

/** Returns the URL of the web page of a release or of latest, which links to the license and the DOI. */
export function addressOf({ root, kind, name }: About): string {
  return releaseUrl(root, kind === 'version' ? name : 'latest');
}

export function creatorsText({ facts }: About): string {
  return facts.creators.map(creatorName).join('; ');
}

const NORMALIZED: [name: string, text: string] = [
  'Normalized values',
  'The last columns contain the numbers that filters compare, each with its unit in its name, and the year and journal of the paper.',
];

export function unitRows(normalized = false): [name: string, text: string][] {
  return [
    ...(normalized ? [NORMALIZED] : []),
    ['Units', 'The column after a quantity contains its unit as submitted. Filters convert quantities to these units:'],
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
