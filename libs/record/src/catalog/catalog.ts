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

/** Words for which sheets of laboratories name a column, in addition to its name and its label. */
export interface HeadingWords {
  /** Compared without case, punctuation and British spelling. */
  readonly synonyms?: readonly string[];
  /** Case-sensitive; a symbol is read only with a unit. */
  readonly symbols?: readonly string[];
  /** The units with which the words have this meaning, as the unit list spells them; absent if all that fit the column. */
  readonly units?: readonly string[];
}

export type KeyGroup = 'solution' | 'process' | 'ambient' | 'fiber' | 'properties' | 'paper';

/** The facts about a filter key: a feature or a category. */
export interface KeyDescription {
  /** The display name on all pages. */
  readonly label: string;
  /** The name in metadata formats; the label by default. */
  readonly metadataName?: string;
  readonly meaning: string;
  /** The conversion, and what the value is not. */
  readonly details: string;
  /** The group in lists of keys, if it is not that of the field's group. */
  readonly keyGroup?: KeyGroup;
  /** The key before this one in lists of keys, if it is not that of the previous field. */
  readonly listedAfter?: string;
  /** The column of files with the value in the unit of the filter. The name ends with the unit; without one, it is the flattened column. */
  readonly normalizedColumn?: string;
  /** Whether values span several decades. */
  readonly isLogarithmic?: true;
  /** The units of pages besides the filter unit. */
  readonly displayUnits?: readonly string[];
  /** The words of the search for the feature besides its names. */
  readonly searchWords?: readonly string[];
}

interface Described extends Partial<KeyDescription> {
  /** The flattened column; the unit of a quantity is in `<column>_unit`. */
  readonly column?: string;
  /** The column of sheets with any headings, for a member of a list that has no flattened column. */
  readonly sheetColumn?: string;
  /** Deprecated names, accepted on input and stored under the field's own name. */
  readonly formerly?: readonly string[];
  readonly headings?: readonly HeadingWords[];
  /** Synonyms in German and Chinese, comma-separated. */
  readonly otherHeadings?: string;
  /** The filter key of the field, which has a `KeyDescription`. Numbers and needles have the two keys `<key>Min` and `<key>Max`. */
  readonly filterKey?: string;
  /** A record without the field is incomplete; `missing-fields.ts` defines the rule. */
  readonly mandatory?: true;
  /** Set by the service in the read form; ignored in requests. */
  readonly answered?: true;
  /** Only the owner and moderators can read it; the public record does not contain it. */
  readonly isPrivate?: true;
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
  /** Only whole numbers are valid. */
  readonly isInteger?: true;
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
  publicationTitle: {
    kind: 'text',
    maxLength: TEXT_LENGTH,
    column: 'publication_title',
    otherHeadings: 'titel, 标题',
    headings: [{ synonyms: ['title', 'paper', 'paper title', 'publication title'] }],
  },
  doi: {
    kind: 'text',
    maxLength: TEXT_LENGTH,
    column: 'doi',
    headings: [{ synonyms: ['doi'] }],
    filterKey: 'doi',
    label: 'Paper',
    meaning: 'DOI of the paper that reports the record.',
    details:
      'The DOI is in lower case without a prefix. If the record has another text instead, such as a URL, the value is that text. It does not identify the dataset.',
  },
  deviceManufacturer: { kind: 'text', maxLength: NAME_LENGTH, column: 'device_manufacturer' },
  deviceModel: { kind: 'text', maxLength: NAME_LENGTH, column: 'device_model' },
  customDevice: { kind: 'boolean', column: 'is_custom_device' },
  sampleId: {
    kind: 'text',
    maxLength: 60,
    column: 'sample_id',
    headings: [
      { synonyms: ['sample id', 'sample', 'sample no', 'sample number', 'sample name', 'sample code', 'specimen'] },
      { synonyms: ['exp', 'exp no', 'experiment', 'experiment no', 'trial', 'code', 'entry'] },
    ],
    otherHeadings:
      'probe, proben id, proben nr, probennummer, probenname, versuch, versuch nr, 样品, 样品编号, 样品名称, 编号',
    isPrivate: true,
  },
  remarks: {
    kind: 'text',
    maxLength: 500,
    column: 'remarks',
    headings: [{ synonyms: ['remarks', 'remark'] }],
    otherHeadings: 'bemerkung, bemerkungen, anmerkung, anmerkungen, 备注',
  },
} as const satisfies Fields;

/**
 * The fields of a record, in output order. Types, validation, the read form, files, sheets, filters and pages derive from this
 * table. CONTRIBUTING.md lists what else a new field needs.
 */
export const recordFields = {
  researchMetadata: { kind: 'group', keyGroup: 'paper', fields: researchFields },
  polymerProperty: {
    kind: 'group',
    keyGroup: 'solution',
    mandatory: true,
    fields: {
      polymerComponents: {
        kind: 'list',
        maxItems: LIST_LENGTH,
        column: 'polymer_components',
        otherHeadings: 'polymerverhältnis, mischungsverhältnis, 聚合物比例, 共混比',
        headings: [{ synonyms: ['polymer ratio', 'polymers ratio', 'ratio of polymers', 'blend ratio'] }],
        fields: {
          polymerName: {
            kind: 'name',
            list: 'polymers',
            mandatory: true,
            filterKey: 'polymer',
            label: 'Polymer',
            meaning: 'Polymers of the spinning solution.',
            details:
              'Names resolve to the entries of the polymer list; other names stay as published. The value states neither grade nor molar mass. A record with several polymers counts under each.',
          },
          polymerWeight: {
            kind: 'quantity',
            dimensions: ['mass', 'mass_fraction', 'relative', 'mass_concentration'],
            limits: shareIn('mass_fraction', 'relative'),
          },
          molecularWeight: {
            kind: 'quantity',
            dimensions: ['molar_mass'],
            limits: POSITIVE,
            sheetColumn: 'molecular_weight',
            headings: [{ synonyms: ['molecular weight', 'polymer molecular weight', 'molar mass', 'mw', 'mn', 'mv'] }],
            otherHeadings: 'molekulargewicht, molmasse, molare masse, 分子量, 聚合物分子量',
          },
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
    keyGroup: 'solution',
    fields: {
      solventComponents: {
        kind: 'list',
        maxItems: LIST_LENGTH,
        column: 'solvent_components',
        otherHeadings: 'lösungsmittelverhältnis, lösemittelverhältnis, 溶剂比, 溶剂比例',
        headings: [{ synonyms: ['solvent ratio', 'solvents ratio', 'ratio of solvents', 'solvent composition'] }],
        fields: {
          solventName: {
            kind: 'name',
            list: 'solvents',
            mandatory: true,
            filterKey: 'solvent',
            label: 'Solvent',
            meaning: 'Solvents of the spinning solution.',
            details:
              'Names resolve to the entries of the solvent list; other names stay as published. The value does not state the ratio of a blend. A record with several solvents counts under each.',
          },
          weight: {
            kind: 'quantity',
            dimensions: ['mass', 'mass_fraction', 'relative', 'mass_ratio'],
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
    keyGroup: 'solution',
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
        otherHeadings: 'konzentration, konz, polymerkonzentration, massenanteil, 浓度, 质量分数',
        headings: [
          {
            synonyms: [
              'conc',
              'concentration',
              'polymer concentration',
              'polymer conc',
              'polymer content',
              'solution concentration',
              'solution conc',
              'wt%',
              '% (w/w)',
              'weight fraction',
              'mass fraction',
            ],
            symbols: ['c'],
          },
        ],
        filterKey: 'concentration',
        label: 'Concentration',
        metadataName: 'Solution concentration',
        meaning: 'Share of polymer in the spinning solution.',
        details:
          'Mass fractions are converted to wt%. Mass per volume (g/L, w/v%) is not convertible, because the density is unknown. The value is not the content of the dry fiber.',
        normalizedColumn: 'concentration_wt_percent',
        searchWords: ['concentration'],
      },
      viscosity: {
        kind: 'quantity',
        dimensions: ['viscosity', 'kinematic_viscosity'],
        limits: POSITIVE,
        column: 'solution_viscosity',
        otherHeadings: 'viskosität, 粘度, 黏度',
        headings: [
          {
            synonyms: ['viscosity', 'dynamic viscosity', 'solution viscosity', 'zero shear viscosity'],
            symbols: ['η', 'η0'],
          },
        ],
        formerly: ['solutionViscosity'],
      },
      surfaceTension: {
        kind: 'quantity',
        dimensions: ['surface_tension'],
        limits: NOT_NEGATIVE,
        column: 'solution_surface_tension',
        otherHeadings: 'oberflächenspannung, 表面张力',
        headings: [{ synonyms: ['surface tension', 'solution surface tension'], symbols: ['γ'] }],
      },
      conductivity: {
        kind: 'quantity',
        dimensions: ['conductivity'],
        limits: NOT_NEGATIVE,
        column: 'solution_conductivity',
        otherHeadings: 'leitfähigkeit, 电导率',
        headings: [
          { synonyms: ['conductivity', 'solution conductivity'], symbols: ['κ', 'σ'] },
          { synonyms: ['electrical conductivity'], units: ['µS/cm', 'mS/cm', 'µS/m', 'mS/m'] },
        ],
        formerly: ['solutionConductivity'],
      },
      evaporationRate: {
        kind: 'quantity',
        // Lost mass, volume or film thickness per time, or a ratio to a reference solvent.
        dimensions: ['mass_rate', 'mass_flux', 'relative_rate', 'volume_flow', 'speed', 'relative'],
        limits: NOT_NEGATIVE,
        column: 'solution_evaporation_rate',
      },
      pH: {
        kind: 'number',
        limits: { min: -2, max: 16 },
        column: 'solution_ph',
        otherHeadings: 'ph wert, ph值',
        headings: [{ synonyms: ['ph', 'solution ph', 'ph value'] }],
        formerly: ['PH'],
      },
    },
  },
  needleProperty: {
    kind: 'group',
    keyGroup: 'process',
    fields: {
      needleType: {
        kind: 'text',
        maxLength: NAME_LENGTH,
        column: 'needle_type',
        otherHeadings: 'nadeltyp, düsentyp, 针头类型',
        headings: [{ synonyms: ['needle type', 'nozzle type'] }],
        filterKey: 'needleType',
        label: 'Needle type',
        meaning: 'Type of the needle or spinneret.',
        details: 'The value is the text as published. It does not state the size of the needle.',
      },
      needleDefinition: {
        kind: 'object',
        memberLimits: { size: POSITIVE, diameter: POSITIVE, innerDiameter: POSITIVE, outerDiameter: POSITIVE },
        defaultUnit: 'mm',
        column: 'needle_definition',
        otherHeadings: 'nadel, nadeldurchmesser, kanüle, düse, innendurchmesser, 针头, 针头直径, 内径',
        headings: [
          {
            synonyms: [
              'needle',
              'needle size',
              'needle gauge',
              'gauge',
              'needle diameter',
              'inner diameter',
              'needle inner diameter',
              'needle id',
              'nozzle',
              'nozzle size',
              'nozzle diameter',
            ],
          },
          { synonyms: ['diameter', 'durchmesser', '直径'], units: ['mm', 'cm', 'in', 'G'] },
          { symbols: ['d', 'D', '∅', 'Ø', 'ø', '⌀'], units: ['mm'] },
        ],
        filterKey: 'needleDiameter',
        label: 'Needle inner diameter',
        meaning: 'Inner diameter of the needle; gauges are converted to it.',
        details: 'Lengths are converted to mm. The value is not the outer diameter.',
        normalizedColumn: 'needle_diameter_mm',
        displayUnits: ['µm'],
        searchWords: ['needle', 'needle diameter', 'needle size', 'gauge', 'nozzle'],
      },
    },
  },
  collectorProperty: {
    kind: 'group',
    keyGroup: 'process',
    fields: {
      collectorType: {
        kind: 'text',
        maxLength: NAME_LENGTH,
        column: 'collector_type',
        otherHeadings: 'kollektor, kollektortyp, 收集器, 接收器',
        headings: [{ synonyms: ['collector', 'collector type', 'type of collector', 'target'] }],
        filterKey: 'collectorType',
        label: 'Collector',
        meaning: 'Type of the collector on which the fibers deposit.',
        details: 'The value is the text as published. It does not state the size or the speed of the collector.',
      },
      collectorDefinition: {
        kind: 'object',
        memberLimits: { rotationSpeed: NOT_NEGATIVE, diameter: POSITIVE },
        column: 'collector_definition',
        otherHeadings: 'drehzahl, rotationsgeschwindigkeit, 转速',
        headings: [
          {
            synonyms: [
              'collector speed',
              'drum speed',
              'rotation speed',
              'rotational speed',
              'rotating speed',
              'collector rotation speed',
              'mandrel speed',
              'rpm',
            ],
          },
        ],
      },
    },
  },
  processParameter: {
    kind: 'group',
    keyGroup: 'process',
    fields: {
      voltage: {
        kind: 'quantity',
        dimensions: ['voltage'],
        limits: { except: 0 },
        defaultUnit: 'kV',
        column: 'voltage',
        otherHeadings: 'spannung, hochspannung, 电压',
        headings: [{ synonyms: ['voltage', 'applied voltage', 'high voltage', 'hv', 'kv'], symbols: ['U', 'V'] }],
        filterKey: 'voltage',
        label: 'Voltage',
        meaning: 'Potential between needle and collector.',
        details: 'Voltages are converted to kV. The value is not the field strength.',
        normalizedColumn: 'voltage_kv',
        displayUnits: ['V'],
        searchWords: ['applied voltage'],
      },
      flowRate: {
        kind: 'quantity',
        // Melts are metered by mass.
        dimensions: ['volume_flow', 'mass_rate'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'mL/h',
        column: 'flow_rate',
        otherHeadings: 'flussrate, förderrate, durchfluss, volumenstrom, 流速, 流量, 推进速度',
        headings: [
          {
            synonyms: [
              'flow rate',
              'flowrate',
              'feed rate',
              'feedrate',
              'feeding rate',
              'feed',
              'pump rate',
              'flow',
              'ml/h',
              'µl/min',
            ],
            symbols: ['Q'],
          },
        ],
        filterKey: 'flowRate',
        label: 'Flow rate',
        meaning: 'Volume of spinning solution fed per unit of time.',
        details:
          'Volume flows are converted to mL/h. The mass rate of a melt is not convertible. The value is not the production rate of fibers.',
        normalizedColumn: 'flow_rate_ml_h',
        isLogarithmic: true,
        displayUnits: ['µL/min', 'µL/h', 'mL/min'],
        searchWords: ['feed rate', 'feeding rate', 'flow'],
      },
      tipCollectorDistance: {
        kind: 'quantity',
        dimensions: ['length'],
        limits: POSITIVE,
        defaultUnit: 'cm',
        column: 'tip_collector_distance',
        otherHeadings:
          'abstand, nadel kollektor abstand, kollektorabstand, elektrodenabstand, arbeitsabstand, 距离, 接收距离, 收集距离, 纺丝距离',
        headings: [
          {
            synonyms: [
              'distance',
              'dist',
              'tip to collector distance',
              'tip collector distance',
              'tip to collector',
              'needle to collector distance',
              'needle collector distance',
              'nozzle to collector distance',
              'needle to collector',
              'working distance',
              'spinning distance',
              'collector distance',
              'tcd',
              'ncd',
              'gap',
            ],
          },
          { symbols: ['d', 'L'], units: ['cm'] },
        ],
        filterKey: 'tipDist',
        label: 'Tip–collector distance',
        metadataName: 'Tip-to-collector distance',
        meaning: 'Distance from the tip of the needle to the collector.',
        details: 'Lengths are converted to cm. The value is not the length of the path of the jet.',
        normalizedColumn: 'tip_dist_cm',
        displayUnits: ['mm', 'm', 'in'],
        searchWords: [
          'distance',
          'tip distance',
          'collector distance',
          'tip-collector distance',
          'working distance',
          'tcd',
        ],
      },
      spinningDuration: {
        kind: 'quantity',
        dimensions: ['time'],
        limits: POSITIVE,
        column: 'spinning_duration',
        otherHeadings: 'zeit, dauer, spinnzeit, spinndauer, 时间, 纺丝时间',
        headings: [
          {
            synonyms: [
              'time',
              'spinning time',
              'electrospinning time',
              'duration',
              'deposition time',
              'collection time',
            ],
            symbols: ['t'],
          },
        ],
      },
      instability: {
        kind: 'labels',
        list: 'instabilities',
        maxItems: LIST_LENGTH,
        column: 'process_instability',
        otherHeadings: 'instabilität, 不稳定性',
        headings: [{ synonyms: ['instability', 'instabilities', 'jet instability'] }],
        filterKey: 'instability',
        label: 'Instability',
        meaning: 'Instabilities of the jet that the paper reports.',
        details:
          'Labels resolve to the entries of the list of instabilities. A record without a label is not a record without an instability.',
        keyGroup: 'fiber',
        listedAfter: 'isFormationStable',
      },
    },
  },
  ambientParameter: {
    kind: 'group',
    keyGroup: 'ambient',
    fields: {
      temperature: {
        kind: 'quantity',
        dimensions: ['temperature'],
        limits: { min: -273.15 },
        defaultUnit: '°C',
        column: 'temperature',
        otherHeadings: 'temperatur, raumtemperatur, 温度, 环境温度',
        headings: [
          {
            synonyms: ['temp', 'temperature', 'ambient temperature', 'ambient temp', 'room temperature', '°c'],
            symbols: ['T', 'ϑ'],
          },
        ],
        filterKey: 'temp',
        label: 'Temperature',
        metadataName: 'Ambient temperature',
        meaning: 'Temperature of the air while spinning.',
        details: 'Temperatures are converted to °C. The value is not the temperature of the solution.',
        normalizedColumn: 'temp_celsius',
        displayUnits: ['K', '°F'],
        searchWords: ['temperature', 'temp'],
      },
      humidity: {
        kind: 'quantity',
        dimensions: ['relative'],
        limits: SHARE,
        defaultUnit: '%',
        column: 'humidity',
        otherHeadings: 'feuchte, luftfeuchte, luftfeuchtigkeit, relative luftfeuchte, rel luftfeuchte, 湿度, 相对湿度',
        headings: [
          { synonyms: ['rh', 'r h', '%rh', '% rh', 'humidity', 'relative humidity', 'rel humidity'], symbols: ['φ'] },
        ],
        filterKey: 'humidity',
        label: 'Humidity',
        metadataName: 'Relative humidity',
        meaning: 'Relative humidity of the air while spinning.',
        details: 'Fractions are converted to %. The value is not the absolute humidity.',
        normalizedColumn: 'humidity_percent',
        searchWords: ['humidity', 'rh'],
      },
    },
  },
  fiberProperty: {
    kind: 'group',
    keyGroup: 'fiber',
    fields: {
      isFormationStable: {
        kind: 'boolean',
        yesOrNo: true,
        column: 'was_formation_stable',
        otherHeadings: 'stabil, stabilität, faserbildung, 稳定, 稳定性',
        headings: [
          {
            synonyms: [
              'stable',
              'stable fiber',
              'stable fibers',
              'fiber formation',
              'stability',
              'stable jet',
              'spinnable',
            ],
          },
        ],
        filterKey: 'isFormationStable',
        label: 'Stable fiber formation',
        meaning: 'Whether the run formed fibers in a stable way.',
        details:
          'The value `no` means that the paper reports the run as not stable; it does not mean that no fiber formed. A paper that reports only successful runs has no `no`.',
      },
      fiberDiameter: {
        kind: 'quantity',
        dimensions: ['length'],
        limits: POSITIVE,
        defaultUnit: 'nm',
        column: 'fiber_diameter',
        otherHeadings: 'durchmesser, faserdurchmesser, mittlerer durchmesser, 直径, 纤维直径, 平均直径',
        headings: [
          {
            synonyms: [
              'diameter',
              'diam',
              'fiber diameter',
              'fiber diam',
              'dia',
              'fiber dia',
              'fiber ø',
              'ø fiber',
              'afd',
              'mean diameter',
              'average diameter',
              'avg diameter',
              'mean fiber diameter',
              'average fiber diameter',
              'avg fiber diameter',
              'diameter of fibers',
              'diameter ± sd',
              'fiber diameter ± sd',
              'mean diameter ± sd',
              'mean fiber diameter ± sd',
              'average fiber diameter ± sd',
            ],
          },
          { symbols: ['d', 'D', '∅', 'Ø', 'ø', '⌀'], units: ['nm', 'µm', 'mm'] },
        ],
        filterKey: 'fiberDiameter',
        label: 'Fiber diameter',
        meaning: 'Mean diameter of the measured fibers.',
        details:
          'Lengths are converted to nm. The value is not the median, and it does not state the number of fibers.',
        normalizedColumn: 'fiber_diameter_nm',
        isLogarithmic: true,
        displayUnits: ['µm'],
        searchWords: ['diameter', 'fibre diameter', 'fiber size', 'fiber', 'fibers', 'fibre', 'fibres', 'nanofibers'],
      },
      fiberDiameterVariation: {
        kind: 'quantity',
        // A coefficient of variation or a standard deviation.
        dimensions: ['relative', 'length'],
        limits: NOT_NEGATIVE,
        defaultUnit: '%',
        column: 'fiber_diameter_variation',
        otherHeadings: 'standardabweichung, stabw, 标准差, 标准偏差',
        headings: [
          {
            synonyms: [
              'sd',
              's d',
              'std dev',
              'st dev',
              'standard deviation',
              'stdev',
              'stddev',
              'diameter sd',
              'fiber diameter sd',
              'diameter std',
              'diameter standard deviation',
              'fiber diameter standard deviation',
            ],
            symbols: ['±'],
          },
          // Without a unit, `Std` can be the order of a design of experiments.
          { synonyms: ['std'], units: ['nm', 'µm'] },
          { symbols: ['σ', 's'], units: ['nm', 'µm'] },
        ],
        filterKey: 'variation',
        label: 'Diameter variation',
        metadataName: 'Fiber diameter variation',
        meaning: 'Spread of the fiber diameters as a share of their mean.',
        details:
          'A standard deviation is converted to % of the fiber diameter. Without a diameter, it is not convertible. The value is not the error of the mean.',
        normalizedColumn: 'variation_percent',
        searchWords: ['variation', 'diameter variation'],
      },
      fiberDiameterCount: {
        kind: 'number',
        limits: { min: 0, max: 1_000_000, except: 0 },
        isInteger: true,
        column: 'fiber_diameter_count',
        headings: [
          {
            synonyms: [
              'n fibers',
              'number of fibers',
              'fiber count',
              'measured fibers',
              'number of measured fibers',
              'n diameters',
            ],
          },
        ],
        otherHeadings: 'anzahl fasern, faseranzahl, gemessene fasern, 纤维数, 测量根数',
        filterKey: 'fiberDiameterCount',
        label: 'Measured fibers',
        meaning: 'Number of fibers whose diameters give the fiber diameter.',
        details: 'The value is not the number of images or of samples.',
        normalizedColumn: 'fiber_diameter_count',
        isLogarithmic: true,
        searchWords: ['measured fibers', 'fiber count'],
      },
      productWeight: {
        kind: 'quantity',
        dimensions: ['area_density', 'mass'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'g/m²',
        column: 'product_weight',
        filterKey: 'weight',
        label: 'Product weight',
        meaning: 'Mass of the fiber mat per unit area.',
        details: 'Area densities are converted to g/m². A mass without an area is not convertible.',
        normalizedColumn: 'weight_g_m2',
        isLogarithmic: true,
      },
      qualityGrade: { kind: 'text', maxLength: NAME_LENGTH, column: 'quality_grade' },
      fiberMorphology: {
        kind: 'labels',
        list: 'morphologies',
        maxItems: LIST_LENGTH,
        column: 'morphology',
        otherHeadings: 'morphologie, 形貌, 形态',
        headings: [{ synonyms: ['morphology', 'fiber morphology', 'orientation', 'fiber orientation'] }],
        filterKey: 'morphology',
        label: 'Morphology',
        meaning: 'Shapes of the fibers that the paper reports.',
        details:
          'Labels resolve to the entries of the list of morphologies. A record without a label is not a record of smooth fibers.',
      },
    },
  },
  mechanicalProperty: {
    kind: 'group',
    keyGroup: 'properties',
    snakeCase: true,
    fields: {
      tensileStrength: {
        kind: 'quantity',
        dimensions: ['pressure'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'MPa',
        column: 'tensile_strength',
        otherHeadings: 'zugfestigkeit, 拉伸强度',
        headings: [
          { synonyms: ['tensile strength', 'strength', 'uts', 'ultimate tensile strength'], symbols: ['σmax', 'σb'] },
        ],
        filterKey: 'tensileStrength',
        label: 'Tensile strength',
        meaning: 'Stress at which the fiber mat breaks.',
        details: 'Pressures are converted to MPa. The value is not the strength of a single fiber.',
        normalizedColumn: 'tensile_strength_mpa',
        isLogarithmic: true,
        displayUnits: ['kPa', 'psi'],
        searchWords: ['strength'],
      },
      modulus: {
        kind: 'quantity',
        dimensions: ['pressure'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'MPa',
        repeatUnit: true,
        column: 'modulus',
        otherHeadings: 'e modul, elastizitätsmodul, 弹性模量, 杨氏模量',
        headings: [
          {
            synonyms: ['modulus', "young's modulus", 'youngs modulus', 'young modulus', 'e modulus', 'elastic modulus'],
            symbols: ['E'],
          },
        ],
        filterKey: 'modulus',
        label: "Young's modulus",
        meaning: 'Stiffness of the fiber mat.',
        details:
          'Pressures are converted to MPa. The value is not the modulus of a single fiber or of the bulk polymer.',
        normalizedColumn: 'modulus_mpa',
        isLogarithmic: true,
        displayUnits: ['GPa', 'kPa'],
        searchWords: ['modulus', 'youngs modulus', "young's modulus"],
      },
      elongationAtBreak: {
        kind: 'quantity',
        dimensions: ['relative', 'length'],
        limits: NOT_NEGATIVE,
        defaultUnit: '%',
        column: 'elongation_at_break',
        otherHeadings: 'dehnung, bruchdehnung, 断裂伸长率',
        headings: [{ synonyms: ['elongation', 'elongation at break', 'strain at break'], symbols: ['εb', 'ε'] }],
        filterKey: 'elongationAtBreak',
        label: 'Elongation at break',
        meaning: 'Strain of the fiber mat when it breaks.',
        details: 'Fractions are converted to %. A length is not convertible, because the initial length is unknown.',
        normalizedColumn: 'elongation_at_break_percent',
        searchWords: ['elongation'],
      },
      fractureBehaviour: {
        kind: 'text',
        maxLength: TEXT_LENGTH,
        column: 'fracture_behaviour',
        otherHeadings: 'bruchverhalten, 断裂行为',
        headings: [{ synonyms: ['fracture', 'fracture behavior'] }],
        filterKey: 'fractureBehaviour',
        label: 'Fracture behavior',
        meaning: 'Description of how the fiber mat breaks.',
        details: 'The value is the text as published, not a class of a standard.',
      },
    },
  },
  functionalProperty: {
    kind: 'group',
    keyGroup: 'properties',
    snakeCase: true,
    fields: {
      surfaceArea: {
        kind: 'quantity',
        dimensions: ['specific_area'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'm²/g',
        column: 'surface_area',
        otherHeadings: 'spezifische oberfläche, 比表面积',
        headings: [{ synonyms: ['surface area', 'specific surface area', 'bet', 'bet surface area'] }],
        filterKey: 'surfaceArea',
        label: 'Specific surface area',
        meaning: 'Surface area of the fibers per unit mass.',
        details: 'Areas per mass are converted to m²/g. The value is not the area of the mat.',
        normalizedColumn: 'surface_area_m2_g',
        isLogarithmic: true,
        searchWords: ['surface area'],
      },
      porosity: {
        kind: 'quantity',
        dimensions: ['relative', 'volume_fraction'],
        limits: SHARE,
        defaultUnit: '%',
        repeatUnit: true,
        column: 'porosity',
        otherHeadings: 'porosität, 孔隙率',
        headings: [{ synonyms: ['porosity'] }],
        filterKey: 'porosity',
        label: 'Porosity',
        meaning: 'Share of the volume of the fiber mat that is void.',
        details: 'Fractions are converted to %. The value is not the size of the pores.',
        normalizedColumn: 'porosity_percent',
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
        label: 'Permeability',
        meaning: 'Intrinsic permeability of the fiber mat.',
        details:
          'Areas and darcys are converted to cm². Fluxes of air, liquid or vapor are not convertible and are not this value.',
        normalizedColumn: 'permeability_cm2',
        isLogarithmic: true,
        displayUnits: ['m²'],
      },
      wettability: {
        kind: 'quantity',
        dimensions: ['angle'],
        limits: { min: 0, max: 180 },
        defaultUnit: '°',
        column: 'wettability',
        otherHeadings: 'kontaktwinkel, 接触角, 水接触角',
        headings: [{ synonyms: ['contact angle', 'water contact angle', 'wca', 'wettability'], symbols: ['θ'] }],
        filterKey: 'wettability',
        label: 'Contact angle',
        metadataName: 'Wettability',
        meaning: 'Contact angle of water on the fiber mat.',
        details: 'Angles are converted to degrees. The value is not the surface energy.',
        normalizedColumn: 'wettability_deg',
        searchWords: ['contact angle'],
      },
      electricalConductivity: {
        kind: 'quantity',
        dimensions: ['conductivity'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'S/m',
        column: 'electrical_conductivity',
        headings: [
          { synonyms: ['electrical conductivity'], units: ['S/m', 'S/cm'] },
          { synonyms: ['fiber conductivity', 'electrical conductivity of fibers', 'mat conductivity'] },
        ],
        otherHeadings: 'elektrische leitfähigkeit der fasern, 纤维电导率',
        filterKey: 'electricalConductivity',
        label: 'Electrical conductivity',
        meaning: 'Electrical conductivity of the fiber mat.',
        details: 'Conductivities are converted to S/m. The value is not the conductivity of the spinning solution.',
        normalizedColumn: 'electrical_conductivity_s_m',
        isLogarithmic: true,
        displayUnits: ['S/cm'],
      },
      thermalConductivity: {
        kind: 'quantity',
        dimensions: ['thermal_conductivity'],
        limits: NOT_NEGATIVE,
        defaultUnit: 'W/mK',
        column: 'thermal_conductivity',
        filterKey: 'thermalConductivity',
        label: 'Thermal conductivity',
        meaning: 'Thermal conductivity of the fiber mat.',
        details: 'Conductivities are converted to W/mK. The value is not the conductivity of a single fiber.',
        normalizedColumn: 'thermal_conductivity_w_mk',
        isLogarithmic: true,
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
      // Whether the contrast of the medium size and the thumbnail is stretched.
      stretched: { kind: 'boolean', answered: true },
    },
  },
} as const satisfies Fields;

const ofSolvents = <const Property extends string>(solventProperty: Property, words: string) => ({
  solventProperty,
  keyGroup: 'solution' as const,
  meaning: `The ${words} of the pure solvent. For a blend, it is the mean of the pure solvents, weighted by volume ratio, and not a property of the blend.`,
  details: 'The value comes from a table of solvents. A blend without published volume ratios is not convertible.',
});

/** Features that are derived from several fields: properties of the solvents, and voltage / tip–collector distance. */
export const derivedFeatures = {
  fieldStrength: {
    unit: 'kV/cm',
    keyGroup: 'process',
    label: 'Field strength',
    metadataName: 'Electric field strength',
    meaning: 'Voltage divided by the tip-to-collector distance.',
    details: 'The value is in kV/cm. It is a mean over the gap, not the field at the tip of the needle.',
    normalizedColumn: 'field_strength_kv_cm',
    isLogarithmic: true,
    displayUnits: ['V/cm', 'kV/m', 'kV/mm'],
    searchWords: ['field', 'field strength', 'electric field'],
  },
  solventBoilingPoint: {
    unit: '°C',
    label: 'Solvent boiling point',
    ...ofSolvents('boilingPoint', 'boiling point'),
    normalizedColumn: 'solvent_boiling_point_celsius',
    searchWords: ['boiling point'],
  },
  solventDielectricConstant: {
    unit: '1',
    label: 'Solvent dielectric constant',
    ...ofSolvents('dielectricConstant', 'relative dielectric constant'),
    normalizedColumn: 'solvent_dielectric_constant',
    searchWords: ['dielectric constant', 'permittivity'],
  },
  solventHansenHydrogen: {
    unit: 'MPa^0.5',
    label: 'Solvent Hansen hydrogen bonding',
    ...ofSolvents('hansenHydrogen', 'Hansen parameter for hydrogen bonding'),
    normalizedColumn: 'solvent_hansen_hydrogen_sqrt_mpa',
    searchWords: ['hansen hydrogen', 'hydrogen bonding'],
  },
} as const satisfies Readonly<Record<string, KeyDescription & { unit: string }>>;

const ofSystem = (what: 'polymer' | 'solvent') => ({
  keyGroup: 'solution' as const,
  meaning: `Set of all ${what}s of a record.`,
  details: `The value has the names in the order of the list of ${what}s, joined by an en dash. It does not state their shares.`,
});

/** Categories whose value is the set of the names of a record. */
export const systemFacts = {
  polymerSystem: { label: 'Polymer system', listedAfter: 'polymer', ...ofSystem('polymer') },
  solventSystem: { label: 'Solvent system', listedAfter: 'polymer', ...ofSystem('solvent') },
} as const satisfies Readonly<Record<string, KeyDescription>>;

/** Categories that the list of papers gives for the DOI of a record. */
export const paperFacts = {
  year: {
    keyGroup: 'paper',
    label: 'Year',
    meaning: 'Year in which the paper was published.',
    details: 'The value comes from the list of papers. It is not the year of the experiment or of the record.',
    normalizedColumn: 'publication_year',
  },
  journal: {
    keyGroup: 'paper',
    label: 'Journal',
    meaning: 'Journal that published the paper.',
    details: 'The value comes from the list of papers. It does not state a volume or a publisher.',
    normalizedColumn: 'journal',
  },
} as const satisfies Readonly<Record<string, KeyDescription>>;

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
