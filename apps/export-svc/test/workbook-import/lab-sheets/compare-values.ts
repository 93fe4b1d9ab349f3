import type { ExperimentData } from '@esd/record/catalog/catalog';
import { memberOfColumn, summaries, valueAt } from '@esd/record/flatten/flatten';
import { type EntryOf, type ListName, type References, resolveName } from '@esd/record/reference/reference';
import { doiIn } from '@esd/record/metadata/doi';
import { convert } from '@esd/record/units/units';
import { isObject } from '@esd/record/validate/is-object';

/** A number with its unit, or a text. */
type Value = string | { readonly number: number; readonly unit: string };

/** The values of an experiment by what they describe: a column, or a part of one such as `needle_definition ID`. */
export type Values = ReadonlyMap<string, Value>;

const QUANTITY = /^(?<number>-?\d[\d.]*) ?(?<unit>.*)$/;

function quantityOf(text: string): Value {
  const { number, unit = '' } = QUANTITY.exec(text)?.groups ?? {};
  return number === undefined ? text : { number: Number(number), unit };
}

/** Returns the values that a cell of `LabTable.reads` states for a column. */
export function statedValues(column: string, text: string): Values {
  if (text === '') return new Map();
  switch (column) {
    case 'fiber_diameter': {
      const [, diameter = '', variation, count] = /^(.*?)(?: ± (.*?))?(?: n (\d+))?$/.exec(text) ?? [];
      const parts = Object.entries({ '': diameter, _variation: variation, _count: count });
      return new Map(
        parts.flatMap(([part, stated]) => (stated ? [[`fiber_diameter${part}`, quantityOf(stated)] as const] : [])),
      );
    }
    case 'needle_definition': {
      const [size = '', ...parts] = text.split(/ (?=[IO]D)/);
      const values = parts.map((part) => [`${column} ${part.slice(0, 2)}`, quantityOf(part.slice(3))] as const);
      return new Map([[column, quantityOf(size)], ...values]);
    }
    case 'polymer(s)':
    case 'solvent(s)':
      return new Map([[column, canonicalComponents(text)]]);
    case 'process_instability':
    case 'morphology':
      return new Map([[column, text.split('; ').sort().join('; ')]]);
    case 'was_formation_stable':
      return new Map([[column, String(text === 'yes')]]);
    default: {
      const kind = memberOfColumn(column)?.kind;
      const isNumber = kind === 'quantity' || kind === 'number' || column === 'collector_definition';
      return new Map([[column, isNumber ? quantityOf(text) : text]]);
    }
  }
}

/** Writes stated components with shares of 1 in total and molar masses in g/mol. */
function canonicalComponents(text: string): string {
  const components = text.split(' + ').map((component) => {
    const {
      name = '',
      share,
      basis = '',
      mass,
      unit,
    } = /^(?<name>\S+)(?: (?<share>[\d.]+))?(?: (?<basis>[wv]))?(?: @(?<mass>\d+) (?<unit>\S+))?$/.exec(component)
      ?.groups ?? {};
    return {
      name,
      share: share === undefined ? undefined : Number(share),
      basis,
      mass: unit === 'kDa' ? Number(mass) * 1000 : mass,
    };
  });
  return componentsText(components);
}

interface Component {
  readonly name: string;
  readonly share?: number | undefined;
  readonly basis: string;
  readonly mass?: number | string | undefined;
}

function componentsText(components: readonly Component[]): string {
  const total = components.reduce((sum, { share = 0 }) => sum + share, 0);
  return components
    .map(({ name, share, basis, mass }) => {
      const stated =
        share === undefined ? '' : ` ${Number((share / total).toFixed(4))}${basis === '' ? '' : ` ${basis}`}`;
      return `${name}${stated}${mass === undefined ? '' : ` @${mass} g/mol`}`;
    })
    .join(' + ');
}

function nameOf<L extends ListName>(references: References, list: L, text: string): EntryOf<L> | undefined {
  const resolution = resolveName(references, list, text);
  return resolution.kind === 'found' ? resolution.entry : undefined;
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the components of a record in the notation of `canonicalComponents`. */
function readComponents(references: References, list: 'polymers' | 'solvents', items: unknown): string {
  const components = (Array.isArray(items) ? items : []).filter(isObject).map((item): Component => {
    const isPolymer = list === 'polymers';
    const name = textOf(isPolymer ? item['polymerName'] : item['solventName']);
    const share = [
      { value: item['polymerWeight'], unit: item['polymerWeightUnit'], basis: 'w' },
      { value: item['weightRatio'], unit: item['weightRatioUnit'], basis: 'w' },
      { value: item['weight'], unit: item['weightUnit'], basis: 'w' },
      { value: item['volumeRatio'], unit: item['volumeRatioUnit'], basis: 'v' },
    ].find(({ value }) => value !== undefined);
    const molarMass = numberOf(item['molecularWeight']);
    const massUnit = nameOf(references, 'units', textOf(item['molecularWeightUnit']));
    const gramPerMole = nameOf(references, 'units', 'g/mol');
    const mass = molarMass && massUnit && gramPerMole ? convert(molarMass, massUnit, gramPerMole) : molarMass;
    const entry = nameOf(references, list, name);
    return {
      name: entry?.sameAs ?? entry?.name ?? name,
      share: numberOf(share?.value),
      basis: share?.basis ?? '',
      mass,
    };
  });
  return componentsText(components);
}

/** Returns the values of an experiment. A number without a unit has the default unit of its field, or "". */
export function readValues(references: References, item: ExperimentData, columns: readonly string[]): Values {
  const values = new Map<string, Value>();
  const data: Readonly<Record<string, unknown>> = { ...item };
  for (const column of columns) {
    const summary = summaries.find(({ components }) => components === column);
    const member = memberOfColumn(column);
    if (member === undefined || member.kind === 'unit') continue;
    const value = valueAt(data, member);
    if (value === undefined) continue;
    if (summary !== undefined) {
      const list = column === 'polymer_components' ? 'polymers' : 'solvents';
      values.set(summary.names, readComponents(references, list, value));
    } else if (Array.isArray(value)) {
      const labels = value.filter(isObject).map((label) => textOf(label['label']));
      values.set(column, labels.sort().join('; '));
    } else if (isObject(value)) {
      for (const [name, member] of objectMembers) {
        const number = numberOf(value[name]);
        const unit = textOf(value[name === 'size' || name === 'diameter' ? 'unit' : `${name}Unit`]);
        if (number === undefined) continue;
        const isSize = !values.has(column) && member !== 'OD';
        values.set(isSize ? column : `${column} ${member}`, { number, unit });
      }
    } else if (typeof value === 'number') {
      const unit = valueAt(data, { ...member, member: `${member.member}Unit` });
      const defaultUnit = member.field.kind === 'quantity' ? member.field.defaultUnit : '';
      values.set(column, { number: value, unit: textOf(unit) || (defaultUnit ?? '') });
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      const text = String(value).replace(/\s+/g, ' ');
      values.set(column, column === 'doi' ? (doiIn(text) ?? text) : text);
    }
  }
  return values;
}

const objectMembers = [
  ['size', ''],
  ['diameter', ''],
  ['rotationSpeed', ''],
  ['innerDiameter', 'ID'],
  ['outerDiameter', 'OD'],
] as const;

/** Returns whether two values are equal, also in different units. */
export function isEqual(references: References, stated: Value | undefined, read: Value | undefined): boolean {
  if (typeof stated !== 'object' || typeof read !== 'object') {
    // Shares without a basis are ratios; any basis that the reader assumes for them is noted.
    const sameBasis = (value: Value | undefined): Value | undefined =>
      typeof value === 'string' ? value.replace(/(?<= [\d.]+) [wv](?= \+|$)/g, '') : value;
    return stated === read || (typeof stated === 'string' && stated === sameBasis(read));
  }
  const from = nameOf(references, 'units', read.unit);
  const to = nameOf(references, 'units', stated.unit);
  const number = from === undefined || to === undefined ? undefined : convert(read.number, from, to);
  if (number === undefined) return read.number === stated.number && read.unit === stated.unit;
  return Math.abs(number - stated.number) <= 1e-9 * Math.abs(stated.number);
}

/** Writes values for a report. */
export function valuesText(values: Values): string {
  return [...values]
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : `${value.number} ${value.unit}`.trim()}`)
    .join(', ');
}
