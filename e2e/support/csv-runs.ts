import { z } from 'zod';
import type { Api } from './api.ts';
import { csvTable } from './csv-table.ts';

/** A record as a csv export describes it. Nothing here uses code of the service. */
export interface Run {
  recordId: number;
  /** Undefined without a paper. */
  doi: string | undefined;
  /** Numbers in the units of the filters, by feature. */
  numbers: Readonly<Record<string, number>>;
  /** Distinct values, by category. */
  texts: Readonly<Record<string, readonly string[]>>;
  /** All cells with a value, by column. */
  cells: Readonly<Record<string, string>>;
}

/** The filters of a test: `"=A|B"`, `"="`, yes or no, and the bounds of ranges. */
export type PlainFilter = Readonly<Record<string, string | number>>;

export const COLUMNS: Readonly<Record<string, string>> = {
  concentration: 'concentration_wt_percent',
  solventBoilingPoint: 'solvent_boiling_point_celsius',
  solventDielectricConstant: 'solvent_dielectric_constant',
  solventHansenHydrogen: 'solvent_hansen_hydrogen_sqrt_mpa',
  needleDiameter: 'needle_diameter_mm',
  voltage: 'voltage_kv',
  flowRate: 'flow_rate_ml_h',
  tipDist: 'tip_dist_cm',
  fieldStrength: 'field_strength_kv_cm',
  temp: 'temp_celsius',
  humidity: 'humidity_percent',
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
};

const SETTINGS = [
  ...['polymer', 'solvent', 'collectorType', 'needleType', 'doi', 'year', 'journal', 'voltage', 'flowRate', 'tipDist'],
  ...['concentration', 'temp', 'humidity', 'needleDiameter', 'fieldStrength', 'solventBoilingPoint'],
  ...['solventDielectricConstant', 'solventHansenHydrogen'],
];

/** Downloads all records of the latest dataset. */
export async function readRuns(api: Api): Promise<Run[]> {
  const answer = await api.get('/public/dataset/export?format=csv&normalized=true');
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return csvTable(answer.text)
    .map(runOf)
    .sort((a, b) => a.recordId - b.recordId);
}

const objects = z.array(z.record(z.string(), z.unknown()));

function runOf(row: Record<string, string>): Run {
  const cells: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(row).filter(([, cell]) => cell));
  const present = (values: readonly (string | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ];
  const members = (column: string, member: string): string[] =>
    objects
      .parse(JSON.parse(cells[column] ?? '[]'))
      .flatMap(({ [member]: value }) => (typeof value === 'string' ? [value] : []));
  const doi = cells['doi']?.replace(/^.*?(10\.\d+\/.*?)\.*$/, (_, found: string) => found.toLowerCase());
  const stable = cells['was_formation_stable'];
  return {
    recordId: Number(cells['experiment_id']),
    doi,
    numbers: Object.fromEntries(
      Object.entries(COLUMNS).flatMap(([feature, column]) => {
        const cell = cells[column];
        return cell === undefined ? [] : [[feature, Number(cell)]];
      }),
    ),
    texts: {
      doi: present([doi]),
      year: present([cells['publication_year']]),
      journal: present([cells['journal']]),
      polymer: present(members('polymer_components', 'name')),
      solvent: present(members('solvent_components', 'name')),
      needleType: present([cells['needle_type']]),
      collectorType: present([cells['collector_type']]),
      morphology: present(members('morphology', 'label')),
      instability: present(members('process_instability', 'label')),
      fractureBehaviour: present([cells['fracture_behaviour']]),
      isFormationStable: stable === undefined ? [] : [/^true$/i.test(stable) ? 'yes' : 'no'],
    },
    cells,
  };
}

const featureOf = (key: string): string => key.replace(/M(?:in|ax)$/, '');

/** Selects the runs that match a filter. */
export function matchingRuns(runs: readonly Run[], filter: PlainFilter): Run[] {
  return runs.filter((run) => Object.entries(filter).every(([key, wanted]) => holds(run, key, wanted)));
}

function holds({ numbers, texts }: Run, key: string, wanted: string | number): boolean {
  if (key === 'status') return true;
  if (typeof wanted === 'number') {
    const value = numbers[featureOf(key)];
    return value !== undefined && (key.endsWith('Min') ? value >= wanted : value <= wanted);
  }
  const own = texts[key] ?? [];
  if (wanted === '=') return own.length === 0;
  return wanted
    .replace(/^=/, '')
    .split('|')
    .some((value) => own.includes(value));
}

/** Returns the filter of the tried records: the conditions on settings, and the status. */
export function triedOf(filter: PlainFilter): PlainFilter {
  return Object.fromEntries(
    Object.entries(filter).filter(([key]) => key === 'status' || SETTINGS.includes(featureOf(key))),
  );
}

/** Lists the results of a filter. */
export function resultsOf(filter: PlainFilter): string[] {
  const tried = triedOf(filter);
  return [
    ...new Set(
      Object.keys(filter)
        .filter((key) => !(key in tried))
        .map(featureOf),
    ),
  ];
}

/** Computes a quantile (type 7); null without numbers. */
export function quantile(numbers: readonly number[], share: number): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (rank - Math.floor(rank));
}

/** Groups runs by paper, in the order of their first runs. All runs without a DOI are one paper. */
export function byPaper(runs: readonly Run[]): ReadonlyMap<string | undefined, Run[]> {
  return Map.groupBy(runs, ({ doi }) => doi);
}

export function numbersOf(runs: readonly Run[], feature: string): number[] {
  return runs.flatMap(({ numbers }) => numbers[feature] ?? []);
}
