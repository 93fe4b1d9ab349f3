const NAME_LENGTH = 500;
const TEXT_LENGTH = 2_000;
const LIST_LENGTH = 100;

/**
 * The physically possible numbers, in the canonical unit of the dimension. `min` is at most 0 and `max` is above it. A
 * bound of 0 holds in every unit and without one.
 */
export interface Limits {
  readonly min?: number;
  readonly max?: number;
  /** The only dimensions in which `max` applies; by default, it always does. */
  readonly maxIn?: readonly string[];
  /** An impossible number between the bounds. */
  readonly except?: 0;
}

const NOT_NEGATIVE: Limits = { min: 0 };
const POSITIVE: Limits = { min: 0, except: 0 };
const SHARE: Limits = { min: 0, max: 100 };
const shareIn = (...maxIn: string[]): Limits => ({ ...SHARE, maxIn });

interface Described {
  /** The flattened column; the unit of a quantity is in `<column>_unit`. */
  readonly column?: string;
  /** Deprecated names, accepted on input and stored under the field's own name. */
  readonly formerly?: readonly string[];
  /** The filter key of the field. Numbers and needles have the two keys `<key>Min` and `<key>Max`. */
  readonly filterKey?: string;
  /** A record without the field is incomplete; `missing-fields.ts` defines the rule. */
  readonly mandatory?: true;
  /** Set by the service in the read form; ignored in requests. */
  readonly answered?: true;
}

export interface TextField extends Described {
  readonly kind: 'text';
  readonly maxLength: number;
}
export interface EmailField extends Described {
  readonly kind: 'email';
}
export interface OrcidField extends Described {
  readonly kind: 'orcid';
}
/** The id of an uploaded image, a UUID. Required in each item that has this field. */
export interface ImageIdField extends Described {
  readonly kind: 'imageId';
}
/** A name that must resolve in a reference list; stored as the list spells it. */
export interface NameField extends Described {
  readonly kind: 'name';
  readonly list: 'polymers' | 'solvents';
}
export interface BooleanField extends Described {
  readonly kind: 'boolean';
  /** Also accepts the texts `yes` and `no`. */
  readonly yesOrNo?: true;
}
export interface NumberField extends Described {
  readonly kind: 'number';
  readonly limits: Limits;
}
/** A number with a sibling member `<name>Unit`. */
export interface QuantityField extends Described {
  readonly kind: 'quantity';
  /** Dimensions of the accepted units, most common first. */
  readonly dimensions: readonly string[];
  readonly limits: Limits;
  /** The unit of the field's filter and of values without a unit. */
  readonly defaultUnit?: string;
  /** The read form repeats the unit under its snake_case name, because published clients read only that name. */
  readonly repeatUnit?: true;
}
/** A list of `{category, label}` from a reference list. */
export interface LabelsField extends Described {
  readonly kind: 'labels';
  readonly list: 'morphologies' | 'instabilities';
  readonly maxItems: number;
}
export interface ObjectField extends Described {
  readonly kind: 'object';
  /** The limits of numbers among the free members. */
  readonly memberLimits: Readonly<Record<string, Limits>>;
  /** The filter unit of the length that is read from the object. */
  readonly defaultUnit?: string;
}
export interface GroupField extends Described {
  readonly kind: 'group';
  readonly fields: Fields;
  /** Also accepts its members in snake_case. */
  readonly snakeCase?: true;
}
export interface ListField extends Described {
  readonly kind: 'list';
  readonly fields: Fields;
  readonly maxItems: number;
}

export type Field =
  | TextField
  | EmailField
  | OrcidField
  | ImageIdField
  | NameField
  | BooleanField
  | NumberField
  | QuantityField
  | LabelsField
  | ObjectField
  | GroupField
  | ListField;

export interface Fields {
  // oxlint-disable-next-line typescript/consistent-indexed-object-style -- a Record alias must not refer to itself
  readonly [member: string]: Field;
}

export const researchFields = {
  publicationTitle: { kind: 'text', maxLength: TEXT_LENGTH, column: 'publication_title' },
  doi: { kind: 'text', maxLength: TEXT_LENGTH, column: 'doi', filterKey: 'doi' },
  deviceManufacturer: { kind: 'text', maxLength: NAME_LENGTH, column: 'device_manufacturer' },
  deviceModel: { kind: 'text', maxLength: NAME_LENGTH, column: 'device_model' },
  customDevice: { kind: 'boolean', column: 'is_custom_device' },
} as const satisfies Fields;

/**
 * The fields of a record, in output order. Types, validation and the read form derive from this table; a new field is
 * one line here.
 */
export const recordFields = {
  researchMetadata: { kind: 'group', fields: researchFields },
  polymerProperty: {
    kind: 'group',
    mandatory: true,
    fields: {
      polymerComponents: {
        kind: 'list',
        maxItems: LIST_LENGTH,
        column: 'polymer_components',
        fields: {
          polymerName: { kind: 'name', list: 'polymers', mandatory: true, filterKey: 'polymer' },
          polymerWeight: {
            kind: 'quantity',
            dimensions: ['mass', 'mass_fraction', 'relative', 'mass_concentration'],
            limits: shareIn('mass_fraction', 'relative'),
          },
          molecularWeight: { kind: 'quantity', dimensions: ['molar_mass'], limits: POSITIVE },
          weightRatio: {
            kind: 'quantity',
            dimensions: ['mass_fraction', 'relative', 'mass_ratio'],
            limits: shareIn('mass_fraction', 'relative'),
          },
        },
      },
    },
  },
  solventProperty: {
    kind: 'group',
    fields: {
      solventComponents: {
        kind: 'list',
        maxItems: LIST_LENGTH,
        column: 'solvent_components',
        fields: {
          solventName: { kind: 'name', list: 'solvents', mandatory: true, filterKey: 'solvent' },
          weight: {
            kind: 'quantity',
            dimensions: ['mass', 'mass_fraction', 'relative'],
            limits: shareIn('mass_fraction', 'relative'),
          },
          volumeRatio: {
            kind: 'quantity',
            dimensions: ['volume_fraction', 'relative', 'volume_ratio'],
            limits: shareIn('volume_fraction', 'relative'),
          },
        },
      },
    },
  },
  solutionProperty: {
    kind: 'group',
    fields: {
      concentration: {
        kind: 'quantity',
        dimensions: [
          'mass_fraction',
          'mass_concentration',
          'amount_concentration',
          'volume_fraction',
          'mole_fraction',
          'relative',
          'mass_ratio',
          'volume_ratio',
        ],
        limits: shareIn('mass_fraction', 'volume_fraction'),
        defaultUnit: 'wt%',
        column: 'solution_concentration',
        filterKey: 'concentration',
      },
      viscosity: {
        kind: 'quantity',
        dimensions: ['viscosity', 'kinematic_viscosity'],
        limits: POSITIVE,
        column: 'solution_viscosity',
        formerly: ['solutionViscosity'],
      },
      surfaceTension: {
        kind: 'quantity',
        dimensions: ['surface_tension'],
        limits: NOT_NEGATIVE,
        column: 'solution_surface_tension',
      },
      conductivity: {
        kind: 'quantity',
        dimensions: ['conductivity'],
        limits: NOT_NEGATIVE,
        column: 'solution_conductivity',
        formerly: ['solutionConductivity'],
      },
      evaporationRate: {
        kind: 'quantity',
        // Lost mass, volume or film thickness per time, or a ratio to a reference solvent.
        dimensions: ['mass_rate', 'mass_flux', 'relative_rate', 'volume_flow', 'speed', 'relative'],
        limits: NOT_NEGATIVE,
        column: 'solution_evaporation_rate',
      },
      pH: { kind: 'number', limits: { min: -2, max: 16 }, column: 'solution_ph', formerly: ['PH'] },
    },
  },
  needleProperty: {
    kind: 'group',
    fields: {
      needleType: { kind: 'text', maxLength: NAME_LENGTH, column: 'needle_type', filterKey: 'needleType' },
      needleDefinition: {
        kind: 'object',
        memberLimits: { size: POSITIVE, diameter: POSITIVE, innerDiameter: POSITIVE, outerDiameter: POSITIVE },
        defaultUnit: 'mm',
        column: 'needle_definition',
        filterKey: 'needleDiameter',
      },
    },
  },
  collectorProperty: {
    kind: 'group',
    fields: {
      collectorType: { kind: 'text', maxLength: NAME_LENGTH, column: 'collector_type', filterKey: 'collectorType' },
      collectorDefinition: {
        kind: 'object',
        memberLimits: { rotationSpeed: NOT_NEGATIVE, diameter: POSITIVE },
        column: 'collector_definition',
      },
    },
  },
  processParameter: {
    kind: 'group',
    fields: {
      voltage: {
        kind: 'quantity',
        dimensions: ['voltage'],
        limits: { except: 0 },
        defaultUnit: 'kV',
        column: 'voltage',
        filterKey: 'voltage',
      },
      flowRate: {
        kind: 'quantity',
        // Melts are metered by mass.
        dimensions: ['volume_flow', 'mass_rate'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'mL/h',
        column: 'flow_rate',
        filterKey: 'flowRate',
      },
      tipCollectorDistance: {
        kind: 'quantity',
        dimensions: ['length'],
        limits: POSITIVE,
        defaultUnit: 'cm',
        column: 'tip_collector_distance',
        filterKey: 'tipDist',
      },
      spinningDuration: { kind: 'quantity', dimensions: ['time'], limits: POSITIVE, column: 'spinning_duration' },
      instability: {
        kind: 'labels',
        list: 'instabilities',
        maxItems: LIST_LENGTH,
        column: 'process_instability',
        filterKey: 'instability',
      },
    },
  },
  ambientParameter: {
    kind: 'group',
    fields: {
      temperature: {
        kind: 'quantity',
        dimensions: ['temperature'],
        limits: { min: -273.15 },
        defaultUnit: '°C',
        column: 'temperature',
        filterKey: 'temp',
      },
      humidity: {
        kind: 'quantity',
        dimensions: ['relative'],
        limits: SHARE,
        defaultUnit: '%',
        column: 'humidity',
        filterKey: 'humidity',
      },
    },
  },
  fiberProperty: {
    kind: 'group',
    fields: {
      isFormationStable: {
        kind: 'boolean',
        yesOrNo: true,
        column: 'was_formation_stable',
        filterKey: 'isFormationStable',
      },
      fiberDiameter: {
        kind: 'quantity',
        dimensions: ['length'],
        limits: POSITIVE,
        defaultUnit: 'nm',
        column: 'fiber_diameter',
        filterKey: 'fiberDiameter',
      },
      fiberDiameterVariation: {
        kind: 'quantity',
        // A coefficient of variation or a standard deviation.
        dimensions: ['relative', 'length'],
        limits: NOT_NEGATIVE,
        defaultUnit: '%',
        column: 'fiber_diameter_variation',
        filterKey: 'variation',
      },
      productWeight: {
        kind: 'quantity',
        dimensions: ['area_density', 'mass'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'g/m²',
        column: 'product_weight',
        filterKey: 'weight',
      },
      qualityGrade: { kind: 'text', maxLength: NAME_LENGTH, column: 'quality_grade' },
      fiberMorphology: {
        kind: 'labels',
        list: 'morphologies',
        maxItems: LIST_LENGTH,
        column: 'morphology',
        filterKey: 'morphology',
      },
    },
  },
  mechanicalProperty: {
    kind: 'group',
    snakeCase: true,
    fields: {
      tensileStrength: {
        kind: 'quantity',
        dimensions: ['pressure'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'MPa',
        column: 'tensile_strength',
        filterKey: 'tensileStrength',
      },
      modulus: {
        kind: 'quantity',
        dimensions: ['pressure'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'MPa',
        repeatUnit: true,
        column: 'modulus',
        filterKey: 'modulus',
      },
      elongationAtBreak: {
        kind: 'quantity',
        dimensions: ['relative', 'length'],
        limits: NOT_NEGATIVE,
        defaultUnit: '%',
        column: 'elongation_at_break',
        filterKey: 'elongationAtBreak',
      },
      fractureBehaviour: {
        kind: 'text',
        maxLength: TEXT_LENGTH,
        column: 'fracture_behaviour',
        filterKey: 'fractureBehaviour',
      },
    },
  },
  functionalProperty: {
    kind: 'group',
    snakeCase: true,
    fields: {
      surfaceArea: {
        kind: 'quantity',
        dimensions: ['specific_area'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'm²/g',
        column: 'surface_area',
        filterKey: 'surfaceArea',
      },
      porosity: {
        kind: 'quantity',
        dimensions: ['relative', 'volume_fraction'],
        limits: SHARE,
        defaultUnit: '%',
        repeatUnit: true,
        column: 'porosity',
        filterKey: 'porosity',
      },
      permeability: {
        kind: 'quantity',
        // Intrinsic permeability, flux of air or a liquid, flux of vapor.
        dimensions: ['permeability', 'volume_flux', 'mass_flux'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'cm²',
        repeatUnit: true,
        column: 'permeability',
        filterKey: 'permeability',
      },
      wettability: {
        kind: 'quantity',
        dimensions: ['angle'],
        limits: { min: 0, max: 180 },
        defaultUnit: '°',
        column: 'wettability',
        filterKey: 'wettability',
      },
      electricalConductivity: {
        kind: 'quantity',
        dimensions: ['conductivity'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'S/m',
        column: 'electrical_conductivity',
        filterKey: 'electricalConductivity',
      },
      thermalConductivity: {
        kind: 'quantity',
        dimensions: ['thermal_conductivity'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'W/mK',
        column: 'thermal_conductivity',
        filterKey: 'thermalConductivity',
      },
    },
  },
  fiberImages: {
    kind: 'list',
    maxItems: LIST_LENGTH,
    column: 'fiber_images',
    fields: {
      imageId: { kind: 'imageId' },
      imageType: { kind: 'text', maxLength: NAME_LENGTH },
      imageDefinition: { kind: 'object', memberLimits: { pixelSize: POSITIVE } },
      // In pixels.
      width: { kind: 'number', limits: POSITIVE, answered: true },
      height: { kind: 'number', limits: POSITIVE, answered: true },
      // URL path of the image bytes.
      contentUrl: { kind: 'text', maxLength: NAME_LENGTH, answered: true },
    },
  },
} as const satisfies Fields;

/** The fields of `userMetadata`, which is never part of a public record. */
export const userFields = {
  name: { kind: 'text', maxLength: NAME_LENGTH },
  email: { kind: 'email' },
  role: { kind: 'text', maxLength: NAME_LENGTH },
  lab: { kind: 'text', maxLength: NAME_LENGTH },
  affiliation: { kind: 'text', maxLength: NAME_LENGTH },
  country: { kind: 'text', maxLength: NAME_LENGTH },
  orcid: { kind: 'orcid' },
  showPublicly: { kind: 'boolean' },
  consentTerms: { kind: 'boolean' },
} as const satisfies Fields;

export interface Label {
  category: string;
  label: string;
}

export type FreeValue = string | number | boolean | FreeValue[] | FreeObject;
export interface FreeObject {
  [member: string]: FreeValue;
}

type ValueOf<F> = F extends { kind: 'group'; fields: infer G }
  ? Members<G>
  : F extends { kind: 'list'; fields: infer G }
    ? Members<G>[]
    : F extends { kind: 'number' | 'quantity' }
      ? number
      : F extends { kind: 'boolean' }
        ? boolean
        : F extends { kind: 'labels' }
          ? Label[]
          : F extends { kind: 'object' }
            ? FreeObject
            : string;

type UnitNames<F> = { [K in keyof F]: F[K] extends { kind: 'quantity' } ? `${K & string}Unit` : never }[keyof F];

export type Members<F> = { [K in keyof F]?: ValueOf<F[K]> } & Partial<Record<UnitNames<F>, string>>;

/** The data of one record: names, labels and units as the reference lists spell them, texts trimmed. */
export type ExperimentData = Members<typeof recordFields>;
export type FiberImage = Members<typeof recordFields.fiberImages.fields>;
export type ResearchMetadata = Members<typeof researchFields>;
export type UserMetadata = Members<typeof userFields>;
