import type { ExperimentData } from '../catalog/catalog.ts';
import { solventFeatures } from '../filter/filter-keys.ts';
import type { DatasetFacts } from './dataset-facts.ts';
import { doiUrl } from './dataset-facts.ts';
import { oneLine, type Paper, type RecordDescription } from './description.ts';
import { isDoi, normalizeDoi } from './doi.ts';

/** Returns title, description (50 characters or more) and paper of a record. */
export function describeRecord(
  recordId: number,
  data: ExperimentData,
  values: RecordDescription['values'],
  facts: DatasetFacts,
): { title: string; description: string; papers: readonly Paper[] } {
  const polymers = namesOf(data.polymerProperty?.polymerComponents?.map(({ polymerName }) => polymerName));
  const solvents = namesOf(data.solventProperty?.solventComponents?.map(({ solventName }) => solventName));
  const what = polymers === '' ? 'Electrospinning' : `Electrospinning of ${polymers}`;
  const title = `${what}${solvents === '' ? '' : ` from ${solvents}`}, record ${recordId}`;
  // The properties of solvents come from a table, not from the record.
  const reported = values.filter(({ feature }) => !solventFeatures.some((one) => one.feature === feature.feature));
  const figures = reported.map(({ feature, value }) => `${feature.name.toLowerCase()} ${value} ${feature.unit}`);
  const papers = paperOf(data);
  const [paper] = papers;
  const sentences = [
    `${title} of “${facts.title}”: one electrospinning experiment with its parameters and results.`,
    ...(figures.length === 0 ? [] : [`It reports ${figures.join(', ')}.`]),
    ...(paper === undefined ? [] : [`Published in ${doiUrl(paper.doi)}.`]),
  ];
  return { title, description: sentences.join(' '), papers };
}

function namesOf(names: readonly (string | undefined)[] = []): string {
  return names.filter((name) => name !== undefined).join(' and ');
}

/** Returns the paper as the record names it, without a look-up. */
function paperOf(data: ExperimentData): Paper[] {
  const { doi } = data.researchMetadata ?? {};
  if (doi === undefined || !isDoi(doi)) return [];
  const title = paperTitle(data);
  return [{ doi: normalizeDoi(doi), ...(title === undefined ? {} : { title }) }];
}

/** Returns the title of the paper that a record gives. */
export function paperTitle({ researchMetadata }: Pick<ExperimentData, 'researchMetadata'>): string | undefined {
  return oneLine(researchMetadata?.publicationTitle ?? '') || undefined;
}
