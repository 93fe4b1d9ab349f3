const NAME_LENGTH = 500;
const TEXT_LENGTH = 2_000;
const LIST_LENGTH = 100;

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
}
/** A number with a sibling member `<name>Unit`. */
export interface QuantityField extends Described {
  readonly kind: 'quantity';
  /** Dimensions of the accepted units, most common first. */
  readonly dimensions: readonly string[];
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
          polymerWeight: { kind: 'quantity', dimensions: ['mass', 'mass_fraction', 'relative', 'mass_concentration'] },
          molecularWeight: { kind: 'quantity', dimensions: ['molar_mass'] },
          weightRatio: { kind: 'quantity', dimensions: ['mass_fraction', 'relative', 'mass_ratio'] },
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
          weight: { kind: 'quantity', dimensions: ['mass', 'mass_fraction', 'relative'] },
          volumeRatio: { kind: 'quantity', dimensions: ['volume_fraction', 'relative', 'volume_ratio'] },
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
        defaultUnit: 'wt%',
        column: 'solution_concentration',
        filterKey: 'concentration',
      },
      viscosity: {
        kind: 'quantity',
        dimensions: ['viscosity', 'kinematic_viscosity'],
        column: 'solution_viscosity',
        formerly: ['solutionViscosity'],
      },
      surfaceTension: { kind: 'quantity', dimensions: ['surface_tension'], column: 'solution_surface_tension' },
      conductivity: {
        kind: 'quantity',
        dimensions: ['conductivity'],
        column: 'solution_conductivity',
        formerly: ['solutionConductivity'],
      },
      evaporationRate: {
        kind: 'quantity',
        // Lost mass, volume or film thickness per time, or a ratio to a reference solvent.
        dimensions: ['mass_rate', 'mass_flux', 'relative_rate', 'volume_flow', 'speed', 'relative'],
        column: 'solution_evaporation_rate',
      },
      pH: { kind: 'number', column: 'solution_ph', formerly: ['PH'] },
    },
  },
  needleProperty: {
    kind: 'group',
    fields: {
      needleType: { kind: 'text', maxLength: NAME_LENGTH, column: 'needle_type', filterKey: 'needleType' },
      needleDefinition: { kind: 'object', defaultUnit: 'mm', column: 'needle_definition', filterKey: 'needleDiameter' },
    },
  },
  collectorProperty: {
    kind: 'group',
    fields: {
      collectorType: { kind: 'text', maxLength: NAME_LENGTH, column: 'collector_type', filterKey: 'collectorType' },
      collectorDefinition: { kind: 'object', column: 'collector_definition' },
    },
  },
  processParameter: {
    kind: 'group',
    fields: {
      voltage: {
        kind: 'quantity',
        dimensions: ['voltage'],
        defaultUnit: 'kV',
        column: 'voltage',
        filterKey: 'voltage',
      },
      flowRate: {
        kind: 'quantity',
        // Melts are metered by mass.
        dimensions: ['volume_flow', 'mass_rate'],
        defaultUnit: 'mL/h',
        column: 'flow_rate',
        filterKey: 'flowRate',
      },
      tipCollectorDistance: {
        kind: 'quantity',
        dimensions: ['length'],
        defaultUnit: 'cm',
        column: 'tip_collector_distance',
        filterKey: 'tipDist',
      },
      spinningDuration: { kind: 'quantity', dimensions: ['time'], column: 'spinning_duration' },
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
        defaultUnit: '°C',
        column: 'temperature',
        filterKey: 'temp',
      },
      humidity: {
        kind: 'quantity',
        dimensions: ['relative'],
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
        defaultUnit: 'nm',
        column: 'fiber_diameter',
        filterKey: 'fiberDiameter',
      },
      fiberDiameterVariation: {
        kind: 'quantity',
        // A coefficient of variation or a standard deviation.
        dimensions: ['relative', 'length'],
        defaultUnit: '%',
        column: 'fiber_diameter_variation',
        filterKey: 'variation',
      },
      productWeight: {
        kind: 'quantity',
        dimensions: ['area_density', 'mass'],
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
        defaultUnit: 'MPa',
        column: 'tensile_strength',
        filterKey: 'tensileStrength',
      },
      modulus: {
        kind: 'quantity',
        dimensions: ['pressure'],
        defaultUnit: 'MPa',
        repeatUnit: true,
        column: 'modulus',
        filterKey: 'modulus',
      },
      elongationAtBreak: {
        kind: 'quantity',
        dimensions: ['relative', 'length'],
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
        defaultUnit: 'm²/g',
        column: 'surface_area',
        filterKey: 'surfaceArea',
      },
      porosity: {
        kind: 'quantity',
        dimensions: ['relative', 'volume_fraction'],
        defaultUnit: '%',
        repeatUnit: true,
        column: 'porosity',
        filterKey: 'porosity',
      },
      permeability: {
        kind: 'quantity',
        // Intrinsic permeability, flux of air or a liquid, flux of vapor.
        dimensions: ['permeability', 'volume_flux', 'mass_flux'],
        defaultUnit: 'cm²',
        repeatUnit: true,
        column: 'permeability',
        filterKey: 'permeability',
      },
      wettability: {
        kind: 'quantity',
        dimensions: ['angle'],
        defaultUnit: '°',
        column: 'wettability',
        filterKey: 'wettability',
      },
      electricalConductivity: {
        kind: 'quantity',
        dimensions: ['conductivity'],
        defaultUnit: 'S/m',
        column: 'electrical_conductivity',
        filterKey: 'electricalConductivity',
      },
      thermalConductivity: {
        kind: 'quantity',
        dimensions: ['thermal_conductivity'],
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
      imageDefinition: { kind: 'object' },
      // In pixels.
      width: { kind: 'number', answered: true },
      height: { kind: 'number', answered: true },
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
