import type { ExperimentData } from '@esd/record/catalog/catalog';
import { catalogColumns, memberOfColumn, summaries, valueAt } from '@esd/record/flatten/flatten';
import { findEntry } from '@esd/record/reference/reference';
import { doiIn } from '@esd/record/metadata/doi';
import { convert } from '@esd/record/units/units';
import { isObject } from '@esd/record/validate/is-object';
import { references } from '../../../../../libs/record/test/seed-lists.ts';

/**
 * The values of an experiment by what they describe: a column, or a part of one such as `needle_definition ID`. Numbers
 * are in canonical units.
 */
export type Values = ReadonlyMap<string, string>;

/** Writes a quantity in its canonical unit, rounded to nine digits. */
function quantity(number: number, unitText = ''): string {
  const unit = findEntry(references, 'units', unitText);
  const canonical = findEntry(references, 'units', unit?.canonical ?? '');
  const converted = unit && canonical && convert(number, unit, canonical);
  return converted === undefined
    ? `${number} ${unitText}`.trim()
    : `${Number(converted.toPrecision(9))} ${canonical?.unit}`;
}

function quantityIn(text: string): string {
  const [, number, unit] = /^(-?\d[\d.]*) ?(.*)$/.exec(text) ?? [];
  return number === undefined ? text : quantity(Number(number), unit);
}

interface Component {
  readonly name: string;
  readonly share?: number | undefined;
  /** `w` or `v`; unstated in a sheet without a basis. */
  readonly basis: string;
  readonly mass?: string | undefined;
}

/** Writes components with shares of 1 in total. */
function componentsText(components: readonly Component[]): string {
  const total = components.reduce((sum, { share = 0 }) => sum + share, 0);
  const texts = components.map(({ name, share, basis, mass }) =>
    [name, share === undefined ? '' : `${Number((share / total).toFixed(4))} ${basis}`.trim(), mass ? `@${mass}` : '']
      .filter(Boolean)
      .join(' '),
  );
  return texts.join(' + ');
}

const COMPONENT = /^(?<name>\S+)(?: (?<share>[\d.]+))?(?: (?<basis>[wv]))?(?: @(?<mass>.+))?$/;

function statedComponents(text: string): string {
  const components = text.split(' + ').map((component): Component => {
    const { name = '', share, basis = '', mass } = COMPONENT.exec(component)?.groups ?? {};
    return { name, share: share === undefined ? share : Number(share), basis, mass: mass && quantityIn(mass) };
  });
  return componentsText(components);
}

const DIAMETER = /^(?<value>.*?)(?: ± (?<variation>.*?))?(?: n (?<count>\d+))?$/;

/** Returns the values that a cell of `LabTable.reads` states for a column. */
export function statedValues(column: string, text: string): Values {
  if (text === '') return new Map();
  if (column === 'fiber_diameter') {
    const { value = '', variation = '', count = '' } = DIAMETER.exec(text)?.groups ?? {};
    const texts = [
      [column, value] as const,
      [`${column}_variation`, variation] as const,
      [`${column}_count`, count] as const,
    ];
    return new Map(texts.flatMap(([name, stated]) => (stated === '' ? [] : [[name, quantityIn(stated)]])));
  }
  if (column === 'needle_definition') {
    const [size = '', ...diameterTexts] = text.split(/ (?=[IO]D)/);
    const diameters = diameterTexts.map(
      (stated) => [`${column} ${stated.slice(0, 2)}`, quantityIn(stated.slice(3))] as const,
    );
    return new Map([[column, quantityIn(size)], ...diameters]);
  }
  if (summaries.some(({ names }) => names === column)) return new Map([[column, statedComponents(text)]]);
  const kind = memberOfColumn(column)?.kind;
  if (kind === 'labels') return new Map([[column, text.split('; ').sort().join('; ')]]);
  if (kind === 'boolean') return new Map([[column, String(text === 'yes')]]);
  return new Map([[column, ['quantity', 'number', 'object'].includes(kind ?? '') ? quantityIn(text) : text]]);
}

const SHARES = ['polymerWeight', 'weightRatio', 'weight', 'volumeRatio'];

/** Writes the components of a record in the notation of `statedComponents`. */
function componentsOf(list: 'polymers' | 'solvents', items: readonly unknown[]): string {
  const components = items.filter(isObject).map((item): Component => {
    const name = String(item['polymerName'] ?? item['solventName']);
    const member = SHARES.find((one) => item[one] !== undefined);
    const { molecularWeight: mass, molecularWeightUnit: unit } = item;
    const entry = findEntry(references, list, name);
    return {
      name: entry?.sameAs ?? entry?.name ?? name,
      share: member === undefined ? undefined : Number(item[member]),
      basis: member === undefined ? '' : member === 'volumeRatio' ? 'v' : 'w',
      mass: mass === undefined ? undefined : quantity(Number(mass), String(unit)),
    };
  });
  return componentsText(components);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The members of a needle and a collector with the suffix of their name; the first one is the size. */
const PARTS = { size: '', diameter: '', rotationSpeed: '', innerDiameter: ' ID', outerDiameter: ' OD' } as const;

/** Returns the values of an experiment. A number without a unit has the default unit of its field. */
export function readValues(item: ExperimentData): Values {
  const values = new Map<string, string>();
  const data: Readonly<Record<string, unknown>> = { ...item };
  for (const column of catalogColumns) {
    const member = memberOfColumn(column);
    const value = member?.kind === 'unit' ? undefined : member && valueAt(data, member);
    const summary = summaries.find(({ components }) => components === column);
    if (member === undefined || value === undefined) continue;
    if (Array.isArray(value)) {
      const labels = value.filter(isObject).map(({ label }) => String(label));
      values.set(
        summary?.names ?? column,
        summary === undefined ? labels.sort().join('; ') : componentsOf(summary.list, value),
      );
    } else if (isObject(value)) {
      for (const [name, suffix] of Object.entries(PARTS)) {
        const unit = value[suffix === '' && name !== 'rotationSpeed' ? 'unit' : `${name}Unit`];
        const at = values.has(column) || suffix === ' OD' ? column + suffix : column;
        if (value[name] !== undefined) values.set(at, quantity(Number(value[name]), textOf(unit)));
      }
    } else if (typeof value === 'number') {
      const unit = valueAt(data, { ...member, member: `${member.member}Unit` });
      const defaultUnit = member.field.kind === 'quantity' ? member.field.defaultUnit : '';
      values.set(column, quantity(value, textOf(unit) || (defaultUnit ?? '')));
    } else if (typeof value === 'string' || typeof value === 'boolean') {
      const text = String(value).replace(/\s+/g, ' ');
      values.set(column, column === 'doi' ? (doiIn(text) ?? text) : text);
    }
  }
  return values;
}

/** Returns whether two values are equal. Stated shares without a basis equal those with any, which the reader notes. */
export function isEqual(stated: string | undefined, read: string | undefined): boolean {
  return stated === read || (stated !== undefined && stated === read?.replace(/(?<= [\d.]+) [wv](?= \+|$)/g, ''));
}

/** Writes values for a report. */
export function valuesText(values: Values): string {
  return [...values].map(([name, value]) => `${name}=${value}`).join(', ');
}
