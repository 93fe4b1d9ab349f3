import { type ExperimentData, type Field, recordFields } from '@esd/record/catalogue/catalogue';
import { fieldName } from '@esd/record/catalogue/field-names';
import { type Feature, recordFeatures } from '@esd/record/filter/filter-keys';
import { numberText } from './format.ts';

/** A row of a record: what was set or measured, as it was published. */
export interface RecordRow {
  readonly name: string;
  /** Undefined: not reported. */
  readonly value: string | undefined;
  /** The same in the unit of the filters, where it was published in another one. */
  readonly note?: string | undefined;
}

export interface RecordGroup {
  readonly name: string;
  readonly rows: readonly RecordRow[];
}

export type Normalized = Readonly<Partial<Record<Feature, number>>>;

// These stand beside the values.
const ELSEWHERE = ['researchMetadata', 'fiberImages'];
// In a title, where most values stand as they were published.
const DIGITS = 6;

/** The groups of a record in the order of the catalogue, every field of them, reported or not. */
export function recordGroups(record: ExperimentData, normalized: Normalized): RecordGroup[] {
  return Object.entries<Field>(recordFields).flatMap(([member, field]) => {
    if (field.kind !== 'group' || ELSEWHERE.includes(member)) return [];
    const values = members(valueIn(record, member));
    const rows = Object.entries<Field>(field.fields).map(([name, inner]) => ({
      name: fieldName(name),
      ...rowOf(inner, values, name, `${member}.${name}`, normalized),
    }));
    return [
      { name: fieldName(member), rows: member === 'processParameter' ? [...rows, ...strength(normalized)] : rows },
    ];
  });
}

/** What an experiment is in a line, such as "PVDF from DMSO–ACETONE: 1292 nm at 25 kV and 25 cm". */
export function recordTitle(record: ExperimentData, normalized: Normalized): string {
  const polymers = names(record.polymerProperty?.polymerComponents?.map(({ polymerName }) => polymerName));
  const solvents = names(record.solventProperty?.solventComponents?.map(({ solventName }) => solventName));
  const { fiberDiameter, voltage, tipDist } = normalized;
  const settings = [
    ...(voltage === undefined ? [] : [computed(voltage, 'kV', DIGITS)]),
    ...(tipDist === undefined ? [] : [computed(tipDist, 'cm', DIGITS)]),
  ];
  const what = `${polymers === '' ? 'Experiment' : polymers}${solvents === '' ? '' : ` from ${solvents}`}`;
  const result = fiberDiameter === undefined ? 'no diameter reported' : computed(fiberDiameter, 'nm', DIGITS);
  return `${what}: ${result}${settings.length === 0 ? '' : ` at ${settings.join(' and ')}`}`;
}

function names(found: readonly (string | undefined)[] = []): string {
  return found.filter((name) => name !== undefined).join('–');
}

function strength({ fieldStrength }: Normalized): RecordRow[] {
  if (fieldStrength === undefined) return [];
  return [{ name: 'Field strength', value: computed(fieldStrength, 'kV/cm'), note: 'voltage / distance' }];
}

function rowOf(
  field: Field,
  values: Readonly<Record<string, unknown>>,
  name: string,
  path: string,
  normalized: Normalized,
): Pick<RecordRow, 'value' | 'note'> {
  const value = values[name];
  if (value === undefined || value === null) return { value: undefined };
  switch (field.kind) {
    case 'quantity': {
      const unit = values[`${name}Unit`];
      const feature = recordFeatures.find((keys) => keys.path === path);
      if (typeof unit !== 'string') {
        const read = feature === undefined ? '' : `, read as ${feature.unit}`;
        return { value: plain(value), note: `unit not stated${read}` };
      }
      const number = feature && normalized[feature.feature];
      const isOther = number !== undefined && feature !== undefined && unit !== feature.unit;
      return { value: quantity(value, unit), note: isOther ? `= ${computed(number, feature.unit)}` : undefined };
    }
    case 'boolean':
      if (name === 'isFormationStable') return { value: value === true ? 'stable' : 'not stable' };
      return { value: value === true ? 'yes' : 'no' };
    case 'labels':
      return { value: items(value).map(labelText).join(', ') };
    case 'list':
      return {
        value: items(value)
          .map((item) => componentText(field.fields, item))
          .join('; '),
      };
    case 'object': {
      const number = path === 'needleProperty.needleDefinition' ? normalized.needleDiameter : undefined;
      const note = number === undefined ? undefined : `= ${computed(number, 'mm')} inner diameter`;
      return { value: objectText(members(value)), note };
    }
    default:
      return { value: plain(value) };
  }
}

function componentText(fields: Readonly<Record<string, Field>>, item: unknown): string {
  const values = members(item);
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
  const { label, category } = members(item);
  return category === undefined ? plain(label) : `${plain(label)} (${plain(category)})`;
}

/** Free members as "rotation speed 2000 rpm": a number takes its unit along. */
function objectText(values: Readonly<Record<string, unknown>>): string {
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

/** A converted value; figures that no instrument gave are cut. */
function computed(value: number, unit: string, digits = 3): string {
  return quantity(Number(value.toPrecision(digits)), unit);
}

function plain(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueIn(record: object, member: string): unknown {
  return Object.entries(record).find(([name]) => name === member)?.[1];
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
