import { deviceKindOf } from '../filter/device-kinds.ts';
import { quantityOf, readUnitFeatures } from '../filter/feature-values.ts';
import { paperTerm } from '../filter/text-terms.ts';
import { fold } from '../reference/fold.ts';
import type { References } from '../reference/reference.ts';
import type { ExperimentData } from './catalog.ts';
import { sortMembers } from './public-record.ts';
import { sortLists } from './repeat-text.ts';

/** The quantities that are chosen before a run. The needle has a definition, and field strength follows from two of them. */
const QUANTITIES = ['voltage', 'flowRate', 'tipDist', 'concentration', 'temp', 'humidity'] as const;
/** Significant digits after conversion: 12000 V is 12 kV. */
const DIGITS = 12;

/**
 * Returns a text that is equal for two records exactly if they name the same paper and have the same settings: polymers and
 * solvents as published, in any order; type and definition of needle and collector; and the quantities in the units of the
 * filters. Two missing values are equal. A value that cannot be converted is compared as published. Undefined without a paper.
 */
export function settingsText(data: ExperimentData, references: References): string | undefined {
  const doi = paperTerm(data);
  if (doi === '') return undefined;
  const { polymerProperty, solventProperty, needleProperty, collectorProperty } = data;
  const { values } = readUnitFeatures(data, references);
  const quantities = QUANTITIES.map((feature) => {
    const value = values[feature];
    return [feature, value === undefined ? quantityOf(data, feature) : Number(value.toPrecision(DIGITS))] as const;
  });
  const settings = {
    doi,
    polymers: polymerProperty?.polymerComponents,
    solvents: solventProperty?.solventComponents,
    needle: [kindOf('needleType', needleProperty?.needleType), needleProperty?.needleDefinition],
    collector: [kindOf('collectorType', collectorProperty?.collectorType), collectorProperty?.collectorDefinition],
    quantities: Object.fromEntries(quantities),
  };
  return JSON.stringify(sortLists(sortMembers(settings)));
}

function kindOf(key: 'needleType' | 'collectorType', type: string | undefined): string | undefined {
  return type === undefined ? undefined : (deviceKindOf(key, type)?.words.join() ?? fold(type));
}
