import { isObject } from '@esd/record/validate/is-object';
import { type ExperimentData, type Field, recordFields } from '@esd/record/catalog/catalog';
import { fieldName } from '@esd/record/catalog/field-names';
import { type Feature, type FeatureKeys, features, recordFeatures } from '@esd/record/filter/filter-keys';
import { numberText } from './format.ts';
import { materialsOf } from './materials.ts';

interface ShownValue {
  readonly text: string;
  readonly note?: string | undefined;
}

/** The unit systems of a record page: units of the filters, units as published, and SI units without prefixes. */
export const unitSystems = ['common', 'published', 'si'] as const;
type UnitSystem = (typeof unitSystems)[number];

export interface RecordRow {
  readonly name: string;
  /** Undefined if the value is not reported. */
  readonly value: Readonly<Record<UnitSystem, ShownValue>> | undefined;
  readonly feature?: Feature | undefined;
}

export interface RecordGroup {
  readonly name: string;
  readonly rows: readonly RecordRow[];
}

export type Normalized = Readonly<Partial<Record<Feature, number>>>;

// The page shows these groups next to the values.
const ELSEWHERE = ['researchMetadata', 'fiberImages'];
/** Groups of the catalog that share a heading. Every other group has its own. */
const TOGETHER: readonly (readonly [name: string, ...members: string[]])[] = [
  ['Process', 'processParameter', 'needleProperty', 'collectorProperty'],
  ['Ambient conditions', 'ambientParameter'],
  ['Solution', 'polymerProperty', 'solventProperty', 'solutionProperty'],
];
// Significant digits in titles and SI values, enough to show published values unchanged.
const DIGITS = 6;

/** Returns the groups of a record with every field of the catalog, including fields that are not reported. */
export function recordGroups(record: ExperimentData, normalized: Normalized): RecordGroup[] {
  const members = Object.entries<Field>(recordFields).flatMap(([member, field]) =>
    field.kind === 'group' && !ELSEWHERE.includes(member) ? [member] : [],
  );
  const alone = members.filter((member) => !TOGETHER.some(([, ...together]) => together.includes(member)));
  const groups = [...TOGETHER, ...alone.map((member) => [fieldName(member), member] as const)];
  return groups.map(([name, ...own]) => ({
    name,
    rows: own.flatMap((member) => rowsOf(member, record, normalized)),
  }));
}

/** Returns the rows of one group of the catalog, such as `researchMetadata`. */
export function rowsOf(member: string, record: ExperimentData, normalized: Normalized): RecordRow[] {
  const field: Field | undefined = Object.entries<Field>(recordFields).find(([name]) => name === member)?.[1];
  if (field?.kind !== 'group') return [];
  const values = membersOf(membersOf(record)[member]);
  const rows = Object.entries<Field>(field.fields).map(([name, inner]): RecordRow => {
    const feature = recordFeatures.find(({ path }) => path === `${member}.${name}`);
    const value = values[name];
    return {
      name: fieldName(name),
      feature: feature?.feature,
      value: value === undefined || value === null ? undefined : shown(inner, values, name, feature, normalized),
    };
  });
  return member === 'processParameter' ? [...rows, ...strength(normalized)] : rows;
}

/** Describes an experiment in one line, such as "PVDF from DMSO–ACETONE: 1292 nm at 25 kV and 25 cm". */
export function recordTitle(record: ExperimentData, normalized: Normalized): string {
  const { polymers, solvents } = materialsOf(record);
  const { fiberDiameter, voltage, tipDist } = normalized;
  const settings = [
    ...(voltage === undefined ? [] : [computed(voltage, 'kV', DIGITS)]),
    ...(tipDist === undefined ? [] : [computed(tipDist, 'cm', DIGITS)]),
  ];
  const what = `${polymers === '' ? 'Experiment' : polymers}${solvents === '' ? '' : ` from ${solvents}`}`;
  const result = fiberDiameter === undefined ? 'no diameter reported' : computed(fiberDiameter, 'nm', DIGITS);
  return `${what}: ${result}${settings.length === 0 ? '' : ` at ${settings.join(' and ')}`}`;
}

/** Returns the title of the page of a record, which has its short names. */
export function recordPageTitle(recordId: number, record: ExperimentData, normalized: Normalized): string {
  return `Record ${recordId}: ${recordTitle(record, normalized)}`;
}

/** Returns the display name of a field path, such as "Process: voltage" for `processParameter.voltage`. */
export function fieldPath(path: string): string {
  const names = path.split('.').map((member) => {
    const [, name = member, index] = /^(.*)\[(\d+)\]$/.exec(member) ?? [];
    return `${fieldName(name)}${index === undefined ? '' : ` ${Number(index) + 1}`}`;
  });
  return names.length > 1 ? `${names[0] ?? ''}: ${names.slice(1).join(', ').toLowerCase()}` : names.join('');
}

export function plain(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function strength({ fieldStrength }: Normalized): RecordRow[] {
  const keys = features.find(({ feature }) => feature === 'fieldStrength');
  if (fieldStrength === undefined || !keys) return [];
  const common = { text: computed(fieldStrength, keys.unit), note: 'voltage / distance' };
  const value = { common, published: common, si: { text: si(fieldStrength, keys.unit), note: common.note } };
  return [{ name: 'Field strength', feature: keys.feature, value }];
}

function shown(
  field: Field,
  values: Readonly<Record<string, unknown>>,
  name: string,
  keys: FeatureKeys | undefined,
  normalized: Normalized,
): NonNullable<RecordRow['value']> {
  const value = values[name];
  switch (field.kind) {
    case 'quantity':
      return shownQuantity(value, values[`${name}Unit`], keys, normalized);
    case 'boolean':
      if (name === 'isFormationStable') return same(value === true ? 'stable' : 'not stable');
      return same(value === true ? 'yes' : 'no');
    case 'labels':
      return same(items(value).map(labelText).join(', '));
    case 'list':
      return same(
        items(value)
          .map((item) => componentText(field.fields, item))
          .join('; '),
      );
    case 'object': {
      const number = keys && normalized[keys.feature];
      const text = objectText(membersOf(value));
      if (number === undefined) return same(text);
      const note = `= ${computed(number, keys?.unit ?? '')} inner diameter`;
      return { ...same(text, note), si: { text, note: `= ${si(number, keys?.unit ?? '')} inner diameter` } };
    }
    default:
      return same(plain(value));
  }
}

function shownQuantity(
  value: unknown,
  unit: unknown,
  keys: FeatureKeys | undefined,
  normalized: Normalized,
): NonNullable<RecordRow['value']> {
  const number = keys && normalized[keys.feature];
  const published = typeof unit === 'string' ? quantity(value, unit) : plain(value);
  if (keys === undefined || number === undefined) {
    return same(published, typeof unit === 'string' ? undefined : 'unit not stated');
  }
  const inSiUnits = { text: si(number, keys.unit) };
  if (typeof unit !== 'string') {
    const note = `unit not stated, read as ${keys.unit}`;
    const common = { text: quantity(value, keys.unit), note };
    return { common, published: { text: published, note }, si: { ...inSiUnits, note } };
  }
  if (unit === keys.unit) return { common: { text: published }, published: { text: published }, si: inSiUnits };
  const common = computed(number, keys.unit);
  return {
    common: { text: common, note: `published as ${published}` },
    published: { text: published, note: `= ${common}` },
    si: inSiUnits,
  };
}

function same(text: string, note?: string): NonNullable<RecordRow['value']> {
  const value = { text, note };
  return { common: value, published: value, si: value };
}

function componentText(fields: Readonly<Record<string, Field>>, item: unknown): string {
  const values = membersOf(item);
  const [key = '', ...rest] = Object.keys(fields);
  const details = rest.flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    const unit = values[`${name}Unit`];
    return [`${fieldName(name).toLowerCase()} ${typeof unit === 'string' ? quantity(value, unit) : plain(value)}`];
  });
  return `${plain(values[key])}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

function labelText(item: unknown): string {
  const { label, category } = membersOf(item);
  return category === undefined ? plain(label) : `${plain(label)} (${plain(category)})`;
}

/** Describes the members of a free object, such as "rotation speed 2000 rpm". The member `…Unit` has the unit of a number. */
export function objectText(values: Readonly<Record<string, unknown>>): string {
  const unitOf = (name: string): unknown => values[`${name}Unit`] ?? (name === 'size' ? values['unit'] : undefined);
  return Object.entries(values)
    .filter(([name]) => !name.endsWith('Unit') && !(name === 'unit' && 'size' in values))
    .map(([name, value]) => {
      const unit = unitOf(name);
      const text = typeof unit === 'string' ? quantity(value, unit) : plain(value);
      return name === 'size' ? text : `${fieldName(name).toLowerCase()} ${text}`;
    })
    .join(', ');
}

function quantity(value: unknown, unit: string): string {
  return unit === '%' ? `${plain(value)}%` : `${plain(value)}\u202f${unit}`;
}

/** Formats a converted value without digits beyond the precision of the measurement. */
export function computed(value: number, unit: string, digits = 3): string {
  return quantity(Number(value.toPrecision(digits)), unit);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Formats a value in SI units, with a power of ten if it is below 0.001 or at least 10⁶. */
function si(value: number, unit: string): string {
  const to = inSi(value, unit);
  const number = Number(to.value.toPrecision(DIGITS));
  const size = Math.abs(number);
  if (number === 0 || (size >= 0.001 && size < 1e6)) return quantity(number, to.unit);
  const [mantissa = '0', exponent = '0'] = number.toExponential().split('e');
  const power = [...exponent.replace('+', '')].map((digit) =>
    digit === '-' ? '⁻' : (SUPERSCRIPTS[Number(digit)] ?? ''),
  );
  return `${numberText(Number(mantissa))} × 10${power.join('')}\u202f${to.unit}`;
}

/** Returns the members of an object; an empty object for any other value. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The conversion to an SI unit without prefix: value × factor + offset. */
interface ToSi {
  readonly unit: string;
  readonly factor: number;
  readonly offset?: number;
}

const SI: ReadonlyMap<string, ToSi> = new Map<string, ToSi>([
  ['kV', { unit: 'V', factor: 1_000 }],
  ['mL/h', { unit: 'm³/s', factor: 1 / 3.6e9 }],
  ['cm', { unit: 'm', factor: 0.01 }],
  ['mm', { unit: 'm', factor: 0.001 }],
  ['nm', { unit: 'm', factor: 1e-9 }],
  ['°C', { unit: 'K', factor: 1, offset: 273.15 }],
  ['kV/cm', { unit: 'V/m', factor: 1e5 }],
  ['g/m²', { unit: 'kg/m²', factor: 0.001 }],
  ['MPa', { unit: 'Pa', factor: 1e6 }],
  ['m²/g', { unit: 'm²/kg', factor: 1_000 }],
  ['cm²', { unit: 'm²', factor: 1e-4 }],
]);

/** Converts a value from the unit of a filter to SI units without prefixes. Returns it unchanged if there is no SI unit, such as for %. */
function inSi(value: number, unit: string): { value: number; unit: string } {
  const to = SI.get(unit);
  return to ? { value: value * to.factor + (to.offset ?? 0), unit: to.unit } : { value, unit };
}
