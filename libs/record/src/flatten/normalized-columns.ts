import type { Feature, PaperKey } from '../filter/filter-keys.ts';
import { isObject } from '../validate/read-value.ts';

/** The column of each feature, in file order. The column name ends with the unit. */
export const normalizedColumnOf = {
  voltage: 'voltage_kv',
  flowRate: 'flow_rate_ml_h',
  tipDist: 'tip_dist_cm',
  concentration: 'concentration_wt_percent',
  temp: 'temp_celsius',
  humidity: 'humidity_percent',
  needleDiameter: 'needle_diameter_mm',
  fiberDiameter: 'fiber_diameter_nm',
  variation: 'variation_percent',
  weight: 'weight_g_m2',
  tensileStrength: 'tensile_strength_mpa',
  modulus: 'modulus_mpa',
  elongationAtBreak: 'elongation_at_break_percent',
  surfaceArea: 'surface_area_m2_g',
  porosity: 'porosity_percent',
  permeability: 'permeability_cm2',
  wettability: 'wettability_deg',
  electricalConductivity: 'electrical_conductivity_s_m',
  thermalConductivity: 'thermal_conductivity_w_mk',
  fieldStrength: 'field_strength_kv_cm',
  solventBoilingPoint: 'solvent_boiling_point_celsius',
  solventDielectricConstant: 'solvent_dielectric_constant',
  solventHansenHydrogen: 'solvent_hansen_hydrogen_sqrt_mpa',
} as const satisfies Readonly<Record<Feature, string>>;

const entries: readonly (readonly [feature: string, column: string])[] = Object.entries(normalizedColumnOf);

/** The columns of the paper of a record, after all others. */
export const paperColumnOf = { year: 'publication_year', journal: 'journal' } as const satisfies Readonly<
  Record<PaperKey, string>
>;

export const normalizedColumns: readonly string[] = [
  ...entries.map(([, column]) => column),
  ...Object.values(paperColumnOf),
];

/**
 * Returns the normalized values of a record in read form, and the year and journal of its paper, by column. Missing values are absent.
 * Throws without `normalized` or `paper`.
 */
export function normalizedCells(record: unknown): Readonly<Record<string, number | string>> {
  const { normalized: values, paper } = isObject(record) ? record : {};
  if (!isObject(values) || !isObject(paper)) throw new Error('record without normalized values');
  const { year, journal } = paper;
  return {
    ...Object.fromEntries(
      entries.flatMap(([feature, column]): [string, number][] => {
        const value = values[feature];
        return typeof value === 'number' ? [[column, value]] : [];
      }),
    ),
    ...(typeof year === 'number' ? { [paperColumnOf.year]: year } : {}),
    ...(typeof journal === 'string' ? { [paperColumnOf.journal]: journal } : {}),
  };
}
