import { filteredFields } from '../filter/filter-keys.ts';

/** Display names that are neither the label of a filter key nor derived from the camelCase name. */
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
  sampleId: 'Sample ID',
  polymerComponents: 'Polymers',
  solventComponents: 'Solvents',
  pH: 'pH',
  needleDefinition: 'Needle size',
  collectorDefinition: 'Collector details',
  polymerName: 'Polymer name',
  solventName: 'Solvent name',
};

const labels: ReadonlyMap<string, string> = new Map(
  filteredFields.flatMap(({ path, field: { label } }) =>
    label === undefined ? [] : [[path.slice(path.lastIndexOf('.') + 1), label]],
  ),
);

/** Returns the display name of a field or group, such as "Flow rate" for `flowRate`. */
export function fieldName(member: string): string {
  const known = NAMES[member] ?? labels.get(member);
  if (known !== undefined) return known;
  const words = member.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the display name of the field at a path, such as "Flow rate" for `processParameter.flowRate`. */
export function fieldNameOfPath(path: string): string {
  return fieldName(path.slice(path.lastIndexOf('.') + 1).replace(/\[\d*\]$/, ''));
}
