import type { ExperimentData } from '../catalog/catalog.ts';
import { isSolventFeature } from '../filter/filter-keys.ts';
import { paperTerm } from '../filter/text-terms.ts';
import type { PaperSummary } from '../papers/paper.ts';
import type { DatasetFacts } from './dataset-facts.ts';
import { canBeCited, oneLine, type Paper, paperUrl, type RecordDescription } from './description.ts';

/** Returns title, description (50 characters or more) and paper of a record. `known` is what the list of papers says about it. */
export function describeRecord(
  recordId: number,
  data: ExperimentData,
  values: RecordDescription['values'],
  facts: DatasetFacts,
  known?: PaperSummary,
): { title: string; description: string; papers: readonly Paper[] } {
  const polymers = namesOf(data.polymerProperty?.polymerComponents?.map(({ polymerName }) => polymerName));
  const solvents = namesOf(data.solventProperty?.solventComponents?.map(({ solventName }) => solventName));
  const what = polymers === '' ? 'Electrospinning' : `Electrospinning of ${polymers}`;
  const title = `${what}${solvents === '' ? '' : ` from ${solvents}`}, record ${recordId}`;
  // The properties of solvents come from a table, not from the record.
  const reported = values.filter(({ feature }) => !isSolventFeature(feature.feature));
  const figures = reported.map(({ feature, value }) => `${feature.name.toLowerCase()} ${value} ${feature.unit}`);
  const papers = paperOf(data, known);
  const [paper] = papers;
  const sentences = [
    `${title} of “${facts.title}”: one electrospinning experiment with its parameters and results.`,
    ...(figures.length === 0 ? [] : [`It reports ${figures.join(', ')}.`]),
    ...(paper === undefined ? [] : [`Published in ${paperUrl(paper)}.`]),
  ];
  return { title, description: sentences.join(' '), papers };
}

function namesOf(names: readonly (string | undefined)[] = []): string {
  return names.filter((name) => name !== undefined).join(' and ');
}

function paperOf(data: ExperimentData, known: PaperSummary | undefined): Paper[] {
  const doi = paperTerm(data);
  if (!canBeCited(doi)) return [];
  const title = known?.title ?? paperTitle(data);
  return [{ doi, ...(title === undefined ? {} : { title: oneLine(title) }) }];
}

/** Returns the title of the paper that a record gives. */
export function paperTitle({ researchMetadata }: Pick<ExperimentData, 'researchMetadata'>): string | undefined {
  return oneLine(researchMetadata?.publicationTitle ?? '') || undefined;
}
