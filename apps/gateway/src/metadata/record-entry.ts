import type { Publication } from '@esd/proto/esd/dataset/v1/dataset';
import type { ShownRecord } from '@esd/pages/explore-data';
import type { Known } from '@esd/pages/known';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type Feature, features } from '@esd/record/filter/filter-keys';
import { paperTerm } from '@esd/record/filter/text-terms';
import { canBeCited, oneLine, paperUrl } from '@esd/record/metadata/description';
import { paperTitle } from '@esd/record/metadata/describe-record';
import { keyLabels } from '@esd/record/metadata/key-labels';
import type { SubstanceKey } from '@esd/record/reference/substance-names';
import { withUnit } from '@esd/record/units/units';
import type { AtomEntry } from './atom-feed.ts';

/** The members of a record that an entry needs. */
export const ENTRY_FIELDS = [
  'polymerProperty.polymerComponents.polymerName',
  'solventProperty.solventComponents.solventName',
  'fiberProperty.isFormationStable',
  'researchMetadata.doi',
  'researchMetadata.publicationTitle',
];

const SETTINGS: readonly Feature[] = ['concentration', 'voltage', 'tipDist', 'flowRate'];
// As in the titles of record pages: published values have no more.
const DIGITS = 6;

/** Describes the published revision of a record as an entry of a feed. `title` is that of the page of the record. */
export function recordEntry(
  record: ShownRecord,
  { recordId, recordRevision, publishedAt, firstPublishedAt }: Publication,
  { title, known, root }: { title: string; known: Known; root: string },
): AtomEntry {
  if (!publishedAt || !firstPublishedAt) throw new Error(`record ${recordId} has no publication time`);
  const page = `${root}/record/${recordId}`;
  return {
    id: `${page}#r${recordRevision}`,
    page,
    title,
    updated: publishedAt,
    published: firstPublishedAt,
    related: paperOf(record, known),
    summary: summaryOf(record, known),
  };
}

function paperOf(record: ExperimentData, { papers }: Known): AtomEntry['related'] {
  const doi = paperTerm(record);
  if (!canBeCited(doi)) return undefined;
  const title = papers.find((paper) => paper.doi === doi)?.title ?? paperTitle(record);
  return { url: new URL(paperUrl({ doi })).href, title: title === undefined ? undefined : oneLine(title) };
}

/** Returns the main settings and the result, such as "Polymer PVA. Voltage 15 kV. Result: fiber diameter 240 nm." */
function summaryOf(
  { polymerProperty, solventProperty, fiberProperty, normalized }: ShownRecord,
  { substances }: Known,
): string {
  const namesOf = (key: SubstanceKey, values: readonly (string | undefined)[] = []): string =>
    values
      .flatMap((value) => {
        if (value === undefined) return [];
        const found = substances.find((one) => one.key === key && one.value === value);
        return [oneLine(found?.shortName ?? value)];
      })
      .join(' and ');
  const polymers = namesOf(
    'polymer',
    polymerProperty?.polymerComponents?.map(({ polymerName }) => polymerName),
  );
  const solvents = namesOf(
    'solvent',
    solventProperty?.solventComponents?.map(({ solventName }) => solventName),
  );
  const settings = [
    ...(polymers === '' ? [] : [`polymer ${polymers}`]),
    ...(solvents === '' ? [] : [`solvent ${solvents}`]),
    ...SETTINGS.flatMap((feature) => figureOf(feature, normalized)),
  ];
  const { isFormationStable } = fiberProperty ?? {};
  const results = [
    ...figureOf('fiberDiameter', normalized),
    ...(isFormationStable === undefined ? [] : [`fiber formation ${isFormationStable ? 'stable' : 'not stable'}`]),
  ];
  return `Settings: ${listed(settings)}. Result: ${listed(results)}.`;
}

function listed(parts: readonly string[]): string {
  return parts.length === 0 ? 'none reported' : parts.join(', ');
}

function figureOf(feature: Feature, normalized: ShownRecord['normalized']): string[] {
  const value = normalized[feature];
  if (value === undefined) return [];
  const unit = features.find((known) => known.feature === feature)?.unit ?? '';
  return [`${keyLabels[feature].label.toLowerCase()} ${withUnit(Number(value.toPrecision(DIGITS)), unit)}`];
}
