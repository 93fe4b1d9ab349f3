import { type Field, type Fields, recordFields } from '@esd/record/catalog/catalog';
import { fieldName } from '@esd/record/catalog/field-names';

/** A field of the form, with the field of the catalog that it fills. */
export interface FormField {
  /** The path of its value in a record, such as `processParameter.voltage`. */
  readonly path: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly field: Field;
  /** Dimensions of the offered units, the most usual first; undefined for a field without units. */
  readonly dimensions: readonly string[] | undefined;
  readonly unitPath: string;
  readonly unit: string | undefined;
  /** The category whose values in the dataset are suggested. */
  readonly proposed: 'collectorType' | 'needleType' | undefined;
}

export interface FormGroup {
  readonly title: string;
  /** Whether the group is always open. A closed group shows a summary of its content. */
  readonly isOpen: boolean;
  readonly fields: readonly FormField[];
  /** Content other than fields. */
  readonly list?: 'amounts' | 'images';
}

export const POLYMERS = 'polymerProperty.polymerComponents';
export const SOLVENTS = 'solventProperty.solventComponents';
export const IMAGES = 'fiberImages';

const LABELS: Readonly<Record<string, string>> = {
  [`${POLYMERS}[].polymerName`]: 'Polymer',
  [`${SOLVENTS}[].solventName`]: 'Solvent',
  'processParameter.instability': 'What went wrong',
  'needleProperty.needleDefinition.size': 'Needle size',
  'collectorProperty.collectorDefinition.rotationSpeed': 'Rotation speed',
  'fiberProperty.isFormationStable': 'Did stable fibers form?',
};

const HINTS: Readonly<Record<string, string>> = {
  'solutionProperty.concentration': 'Share of polymer in the solution',
  'fiberProperty.isFormationStable': 'Failed runs are as useful as good ones.',
  'researchMetadata.sampleId': 'Only you and the moderators can read it',
  'researchMetadata.remarks': 'Published with the record',
};

/** Numbers in objects with free-form members. Filters and the dataset use the same member names. */
const MEASURES: Readonly<Record<string, { dimensions: readonly string[]; unit: string; unitPath: string }>> = {
  'needleProperty.needleDefinition.size': {
    dimensions: ['gauge', 'length'],
    unit: 'G',
    unitPath: 'needleProperty.needleDefinition.unit',
  },
  'collectorProperty.collectorDefinition.rotationSpeed': {
    dimensions: ['rotational_speed', 'speed'],
    unit: 'rpm',
    unitPath: 'collectorProperty.collectorDefinition.rotationSpeedUnit',
  },
};

const PROPOSED: Readonly<Record<string, FormField['proposed']>> = {
  'collectorProperty.collectorType': 'collectorType',
  'needleProperty.needleType': 'needleType',
};

/** Returns the field of the catalog at a path such as `processParameter.voltage`. Throws an Error if it does not exist. */
function catalogField(path: string): Field {
  let fields: Fields = recordFields;
  let field: Field | undefined;
  for (const name of path.replaceAll(/\[\d*\]/g, '').split('.')) {
    if (field?.kind === 'object') return field;
    field = fields[name];
    if (field?.kind === 'group' || field?.kind === 'list') fields = field.fields;
  }
  if (field === undefined) throw new Error(`The catalog has no ${path}.`);
  return field;
}

/** Returns the form field for a path of the catalog. A path can contain an index, as in `….polymerComponents[1].weightRatio`. */
export function formField(path: string): FormField {
  const field = catalogField(path);
  const measure = MEASURES[path];
  const isQuantity = field.kind === 'quantity';
  return {
    path,
    label: LABELS[path.replaceAll(/\[\d+\]/g, '[]')] ?? fieldName(path.slice(path.lastIndexOf('.') + 1)),
    hint: HINTS[path],
    field,
    dimensions: isQuantity ? field.dimensions : measure?.dimensions,
    unitPath: measure?.unitPath ?? `${path}Unit`,
    unit: isQuantity ? field.defaultUnit : measure?.unit,
    proposed: PROPOSED[path],
  };
}

/** Returns the paths of all fields of a group of the catalog. */
function pathsIn(name: 'mechanicalProperty' | 'functionalProperty'): string[] {
  return Object.keys(recordFields[name].fields).map((member) => `${name}.${member}`);
}

const group = (title: string, isOpen: boolean, ...paths: string[]): FormGroup => ({
  title,
  isOpen,
  fields: paths.map(formField),
});

/** The groups of the form besides polymers and solvents, which are lists. Every field of the catalog is in one of them. */
export const solutionFields = group('Solution', true, 'solutionProperty.concentration');
export const formGroups: readonly FormGroup[] = [
  group(
    'Process',
    true,
    'processParameter.voltage',
    'processParameter.tipCollectorDistance',
    'processParameter.flowRate',
    'needleProperty.needleDefinition.size',
    'collectorProperty.collectorType',
    'ambientParameter.temperature',
  ),
  group(
    'Results',
    true,
    'fiberProperty.isFormationStable',
    'processParameter.instability',
    'fiberProperty.fiberDiameter',
  ),
  { title: 'Amounts and molecular weights', isOpen: false, fields: [], list: 'amounts' },
  group(
    'More about the solution',
    false,
    'solutionProperty.viscosity',
    'solutionProperty.surfaceTension',
    'solutionProperty.conductivity',
    'solutionProperty.evaporationRate',
    'solutionProperty.pH',
  ),
  group(
    'More about the process',
    false,
    'ambientParameter.humidity',
    'processParameter.spinningDuration',
    'needleProperty.needleType',
    'collectorProperty.collectorDefinition.rotationSpeed',
  ),
  group(
    'More about the fiber',
    false,
    'fiberProperty.fiberDiameterVariation',
    'fiberProperty.fiberDiameterCount',
    'fiberProperty.fiberMorphology',
    'fiberProperty.productWeight',
    'fiberProperty.qualityGrade',
  ),
  group('Mechanical properties', false, ...pathsIn('mechanicalProperty')),
  group('Functional properties', false, ...pathsIn('functionalProperty')),
  group(
    'Device',
    false,
    'researchMetadata.deviceManufacturer',
    'researchMetadata.deviceModel',
    'researchMetadata.customDevice',
  ),
  group('Sample and remarks', false, 'researchMetadata.sampleId', 'researchMetadata.remarks'),
  { title: 'Images', isOpen: false, fields: [], list: 'images' },
];

/** Path prefixes of the results of an experiment, which a copy leaves out. */
const RESULTS = [
  'fiberProperty.',
  'mechanicalProperty.',
  'functionalProperty.',
  'processParameter.instability',
  IMAGES,
];

export function isResult(path: string): boolean {
  return RESULTS.some((start) => path.startsWith(start));
}
