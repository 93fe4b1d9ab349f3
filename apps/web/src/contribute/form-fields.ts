import { type Field, type Fields, recordFields } from '@esd/record/catalog/catalog';
import { fieldName } from '@esd/record/catalog/field-names';

/** A field of the form, with the catalog's field that it fills. */
export interface FormField {
  /** Where its value stands in a record, as in `processParameter.voltage`. */
  readonly path: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly field: Field;
  /** Dimensions of the units that are offered, the most usual first; undefined for what has no unit. */
  readonly dimensions: readonly string[] | undefined;
  /** Where the unit stands. */
  readonly unitPath: string;
  /** The unit that is chosen at first. */
  readonly unit: string | undefined;
  /** Whether a value of 0 or less has no meaning. */
  readonly isPositive: boolean;
  /** The category whose values in the dataset are proposed. */
  readonly proposed: 'collectorType' | 'needleType' | undefined;
}

/** A part of the form. */
export interface FormGroup {
  readonly title: string;
  /** Whether it is shown at once; others say what they hold. */
  readonly isOpen: boolean;
  readonly fields: readonly FormField[];
  /** What it has besides fields. */
  readonly list?: 'components' | 'images';
}

export const POLYMERS = 'polymerProperty.polymerComponents';
export const SOLVENTS = 'solventProperty.solventComponents';
export const IMAGES = 'fiberImages';

const LABELS: Readonly<Record<string, string>> = {
  'processParameter.tipCollectorDistance': 'Tip–collector distance',
  'processParameter.instability': 'What went wrong',
  'needleProperty.needleDefinition.size': 'Needle size',
  'collectorProperty.collectorType': 'Collector',
  'collectorProperty.collectorDefinition.rotationSpeed': 'Rotation speed',
  'fiberProperty.isFormationStable': 'Did stable fibers form?',
  'ambientParameter.humidity': 'Relative humidity',
};

const HINTS: Readonly<Record<string, string>> = {
  'solutionProperty.concentration': 'Of polymer in the solution',
  'fiberProperty.isFormationStable': 'Failed runs are as useful as good ones.',
};

/** Numbers that free members of an object hold: what the filters read, and what the dataset has. */
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

const POSITIVE: ReadonlySet<string> = new Set([
  'solutionProperty.concentration',
  'processParameter.flowRate',
  'processParameter.tipCollectorDistance',
  'processParameter.spinningDuration',
  'needleProperty.needleDefinition.size',
  'fiberProperty.fiberDiameter',
]);

const PROPOSED: Readonly<Record<string, FormField['proposed']>> = {
  'collectorProperty.collectorType': 'collectorType',
  'needleProperty.needleType': 'needleType',
};

/** The field of the catalog at a path such as `processParameter.voltage`; throws an Error where there is none. */
function catalogField(path: string): Field {
  let fields: Fields = recordFields;
  let found: Field | undefined;
  for (const name of path.replaceAll(/\[\d*\]/g, '').split('.')) {
    if (found?.kind === 'object') return found;
    found = fields[name];
    if (found?.kind === 'group' || found?.kind === 'list') fields = found.fields;
  }
  if (found === undefined) throw new Error(`The catalog has no ${path}.`);
  return found;
}

/** The form's field for a path of the catalog, also of a component such as `….polymerComponents[1].weightRatio`. */
export function formField(path: string): FormField {
  const field = catalogField(path);
  const measure = MEASURES[path];
  const isQuantity = field.kind === 'quantity';
  return {
    path,
    label: LABELS[path] ?? fieldName(path.slice(path.lastIndexOf('.') + 1)),
    hint: HINTS[path],
    field,
    dimensions: isQuantity ? field.dimensions : measure?.dimensions,
    unitPath: measure?.unitPath ?? `${path}Unit`,
    unit: isQuantity ? field.defaultUnit : measure?.unit,
    isPositive: POSITIVE.has(path),
    proposed: PROPOSED[path],
  };
}

const group = (title: string, isOpen: boolean, ...paths: string[]): FormGroup => ({
  title,
  isOpen,
  fields: paths.map(formField),
});

/** The parts of the form after polymers and solvents, which are lists. Every field of the catalog is in one of them. */
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
    'What came out',
    true,
    'fiberProperty.isFormationStable',
    'processParameter.instability',
    'fiberProperty.fiberDiameter',
  ),
  { title: 'Shares of the components', isOpen: false, fields: [], list: 'components' },
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
    'fiberProperty.fiberMorphology',
    'fiberProperty.productWeight',
    'fiberProperty.qualityGrade',
  ),
  group(
    'Mechanical',
    false,
    'mechanicalProperty.tensileStrength',
    'mechanicalProperty.modulus',
    'mechanicalProperty.elongationAtBreak',
    'mechanicalProperty.fractureBehaviour',
  ),
  group(
    'Functional',
    false,
    'functionalProperty.surfaceArea',
    'functionalProperty.porosity',
    'functionalProperty.permeability',
    'functionalProperty.wettability',
    'functionalProperty.electricalConductivity',
    'functionalProperty.thermalConductivity',
  ),
  group(
    'Device',
    false,
    'researchMetadata.deviceManufacturer',
    'researchMetadata.deviceModel',
    'researchMetadata.customDevice',
  ),
  { title: 'Images', isOpen: false, fields: [], list: 'images' },
];

/** The parts that hold what came out of an experiment: not copied from the one before. */
const RESULTS = [
  'fiberProperty.',
  'mechanicalProperty.',
  'functionalProperty.',
  'processParameter.instability',
  IMAGES,
];

/** Whether a path belongs to what came out of an experiment, images included. */
export function isResult(path: string): boolean {
  return RESULTS.some((start) => path.startsWith(start));
}
