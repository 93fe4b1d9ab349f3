import { keyLabels } from '../metadata/key-labels.ts';

/** Display names that cannot be derived from the camelCase name. */
const NAMES: Readonly<Record<string, string>> = {
  researchMetadata: 'Source',
  polymerProperty: 'Polymers',
  solventProperty: 'Solvents',
  solutionProperty: 'Solution',
  needleProperty: 'Needle',
  collectorProperty: 'Collector',
  processParameter: 'Process',
  ambientParameter: 'Ambient conditions',
  fiberProperty: 'Fiber',
  mechanicalProperty: 'Mechanical properties',
  functionalProperty: 'Functional properties',
  fiberImages: 'Images',
  publicationTitle: 'Title of the paper',
  doi: 'DOI of the paper',
  deviceManufacturer: 'Manufacturer of the device',
  deviceModel: 'Model of the device',
  customDevice: 'Self-built device',
  polymerComponents: 'Polymers',
  solventComponents: 'Solvents',
  pH: 'pH',
  needleDefinition: 'Needle size',
  collectorDefinition: 'Collector details',
  collectorType: keyLabels.collectorType.label,
  tipCollectorDistance: keyLabels.tipDist.label,
  isFormationStable: keyLabels.isFormationStable.label,
  fiberDiameterVariation: keyLabels.variation.label,
  fiberMorphology: keyLabels.morphology.label,
  modulus: keyLabels.modulus.label,
  fractureBehaviour: keyLabels.fractureBehaviour.label,
  surfaceArea: keyLabels.surfaceArea.label,
  wettability: keyLabels.wettability.label,
};

/** Returns the display name of a field or group, such as "Flow rate" for `flowRate`. */
export function fieldName(member: string): string {
  const known = NAMES[member];
  if (known !== undefined) return known;
  const words = member.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the display name of the field at a path, such as "Flow rate" for `processParameter.flowRate`. */
export function fieldNameOfPath(path: string): string {
  return fieldName(path.slice(path.lastIndexOf('.') + 1).replace(/\[\d*\]$/, ''));
}
