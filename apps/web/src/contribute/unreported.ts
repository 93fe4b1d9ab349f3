import { keyLabels } from '@esd/record/metadata/key-labels';
import { isObject } from '@esd/record/validate/is-object';

/** The values that readers of a record need most, each with the paths of which one suffices. */
const NEEDED: readonly (readonly [label: string, ...paths: string[]])[] = [
  [keyLabels.doi.label, 'researchMetadata.doi'],
  [keyLabels.solvent.label, 'solventProperty.solventComponents'],
  [keyLabels.concentration.label, 'solutionProperty.concentration'],
  [keyLabels.flowRate.label, 'processParameter.flowRate'],
  ['Result', 'fiberProperty.fiberDiameter', 'fiberProperty.isFormationStable'],
];

/** Lists what an experiment of a submission does not report: paper, solvent, concentration, flow rate, result. `shared` belongs to all of them. */
export function unreported(item: object, shared: object): string[] {
  const isReported = (path: string): boolean => [item, shared].some((values) => valueAt(values, path) !== undefined);
  return NEEDED.flatMap(([label, ...paths]) => (paths.some(isReported) ? [] : [label]));
}

function valueAt(values: object, path: string): unknown {
  let found: unknown = values;
  for (const name of path.split('.')) found = isObject(found) ? found[name] : undefined;
  return found;
}
