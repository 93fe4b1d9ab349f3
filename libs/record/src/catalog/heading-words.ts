/**
 * Words for which sheets of laboratories name a flattened column, in addition to its name and its label. A new line
 * needs no code.
 */
export interface HeadingWords {
  readonly column: string;
  /** Compared without case, punctuation and British spelling. */
  readonly synonyms?: readonly string[];
  /** Case-sensitive; a symbol is read only with a unit. */
  readonly symbols?: readonly string[];
  /** The units with which the words have this meaning, as the unit list spells them; absent if all that fit the column. */
  readonly units?: readonly string[];
}

export const headingWords: readonly HeadingWords[] = [
  {
    column: 'polymer(s)',
    synonyms: ['polymer', 'polymers', 'polymer type', 'polymer name', 'material', 'polymer blend'],
  },
  { column: 'solvent(s)', synonyms: ['solvent', 'solvents', 'solvent system', 'solvent name', 'solvent mixture'] },
  {
    column: 'solvent_components',
    synonyms: ['solvent ratio', 'solvents ratio', 'ratio of solvents', 'solvent composition'],
  },
  {
    column: 'polymer_components',
    synonyms: ['polymer ratio', 'polymers ratio', 'ratio of polymers', 'blend ratio'],
  },
  {
    column: 'solution_concentration',
    synonyms: [
      'conc',
      'concentration',
      'polymer concentration',
      'polymer conc',
      'polymer content',
      'solution concentration',
      'solution conc',
      'wt%',
    ],
    symbols: ['c'],
  },
  {
    column: 'solution_viscosity',
    synonyms: ['viscosity', 'dynamic viscosity', 'solution viscosity'],
    symbols: ['η'],
  },
  { column: 'solution_conductivity', synonyms: ['conductivity', 'solution conductivity'], symbols: ['κ', 'σ'] },
  { column: 'solution_surface_tension', synonyms: ['surface tension', 'solution surface tension'], symbols: ['γ'] },
  { column: 'solution_ph', synonyms: ['ph', 'solution ph', 'ph value'] },
  {
    column: 'needle_definition',
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
  { column: 'needle_definition', synonyms: ['diameter'], units: ['mm', 'cm', 'in', 'G'] },
  { column: 'needle_definition', symbols: ['d', 'D', '∅', 'Ø', 'ø', '⌀'], units: ['mm'] },
  { column: 'needle_type', synonyms: ['needle type', 'nozzle type'] },
  { column: 'collector_type', synonyms: ['collector', 'collector type', 'type of collector', 'target'] },
  {
    column: 'collector_definition',
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
  {
    column: 'voltage',
    synonyms: ['voltage', 'applied voltage', 'high voltage', 'hv'],
    symbols: ['U', 'V'],
  },
  {
    column: 'flow_rate',
    synonyms: ['flow rate', 'flowrate', 'feed rate', 'feedrate', 'feeding rate', 'feed', 'pump rate', 'flow'],
    symbols: ['Q'],
  },
  {
    column: 'tip_collector_distance',
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
  { column: 'tip_collector_distance', symbols: ['d', 'L'], units: ['cm'] },
  {
    column: 'spinning_duration',
    synonyms: ['time', 'spinning time', 'electrospinning time', 'duration', 'deposition time', 'collection time'],
    symbols: ['t'],
  },
  {
    column: 'temperature',
    synonyms: ['temp', 'temperature', 'ambient temperature', 'ambient temp', 'room temperature'],
    symbols: ['T'],
  },
  { column: 'humidity', synonyms: ['rh', 'r h', 'humidity', 'relative humidity', 'rel humidity'] },
  {
    column: 'was_formation_stable',
    synonyms: ['stable', 'stable fiber', 'stable fibers', 'fiber formation', 'stability', 'stable jet'],
  },
  {
    column: 'fiber_diameter',
    synonyms: [
      'diameter',
      'diam',
      'fiber diameter',
      'fiber diam',
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
  {
    column: 'fiber_diameter',
    symbols: ['d', 'D', '∅', 'Ø', 'ø', '⌀'],
    units: ['nm', 'µm', 'mm'],
  },
  {
    column: 'fiber_diameter_variation',
    synonyms: [
      'sd',
      's d',
      'std',
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
  { column: 'fiber_diameter_variation', symbols: ['σ'], units: ['nm', 'µm'] },
  { column: 'morphology', synonyms: ['morphology', 'fiber morphology'] },
  { column: 'process_instability', synonyms: ['instability', 'instabilities', 'jet instability'] },
  { column: 'fracture_behaviour', synonyms: ['fracture', 'fracture behavior'] },
  {
    column: 'tensile_strength',
    synonyms: ['tensile strength', 'strength', 'uts', 'ultimate tensile strength'],
  },
  {
    column: 'modulus',
    synonyms: ['modulus', "young's modulus", 'youngs modulus', 'young modulus', 'e modulus', 'elastic modulus'],
  },
  {
    column: 'elongation_at_break',
    synonyms: ['elongation', 'elongation at break', 'strain at break'],
  },
  { column: 'porosity', synonyms: ['porosity'] },
  {
    column: 'wettability',
    synonyms: ['contact angle', 'water contact angle', 'wca', 'wettability'],
    symbols: ['θ'],
  },
  { column: 'surface_area', synonyms: ['surface area', 'specific surface area', 'bet', 'bet surface area'] },
  { column: 'doi', synonyms: ['doi'] },
  { column: 'publication_title', synonyms: ['title', 'paper', 'paper title', 'publication title'] },
];

/** Headings of sheets that no field of a record describes. */
export const ignoredHeadings: readonly string[] = [
  'no',
  'nr',
  '#',
  'id',
  'run',
  'sample',
  'batch',
  'row',
  'date',
  'operator',
  'comment',
  'comments',
  'note',
  'notes',
  'remark',
  'remarks',
  'file',
  'image',
];
