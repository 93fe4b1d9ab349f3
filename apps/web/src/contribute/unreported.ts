import type { ExperimentData } from '@esd/record/catalog/catalog';
import { keyLabels } from '@esd/record/metadata/key-labels';

/** Lists what reviewers and readers need most and a record does not report: paper, solvent, concentration, flow rate, result. */
export function unreported(
  {
    solventProperty,
    solutionProperty,
    processParameter,
    fiberProperty,
  }: Pick<ExperimentData, 'solventProperty' | 'solutionProperty' | 'processParameter' | 'fiberProperty'>,
  doi: string | undefined,
): string[] {
  const { fiberDiameter, isFormationStable } = fiberProperty ?? {};
  return [
    ...(doi === undefined || doi.trim() === '' ? [keyLabels.doi.label] : []),
    ...(solventProperty?.solventComponents?.some(({ solventName }) => solventName) ? [] : [keyLabels.solvent.label]),
    ...(solutionProperty?.concentration === undefined ? [keyLabels.concentration.label] : []),
    ...(processParameter?.flowRate === undefined ? [keyLabels.flowRate.label] : []),
    ...(fiberDiameter === undefined && isFormationStable === undefined ? ['Result'] : []),
  ];
}
