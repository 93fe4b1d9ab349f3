import { createHash } from 'node:crypto';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { fieldName } from '@esd/record/catalog/field-names';
import {
  type ColumnMember,
  catalogColumns,
  memberOfColumn,
  namesAt,
  summaries,
  valueAt,
} from '@esd/record/flatten/flatten';
import { shorten } from '@esd/record/validate/problems';

export interface Cell {
  /** The text without the unit, truncated. */
  readonly text: string;
  readonly unit: string | undefined;
  /** Equal for equal values, also of truncated texts. */
  readonly key: string;
}

export interface ReviewColumn {
  /** The flattened name. */
  readonly column: string;
  readonly label: string;
  /** Undefined if the record has no value. */
  readonly cellOf: (data: ExperimentData) => Cell | undefined;
}

/**
 * The columns of records for moderators, in catalog order. A column of units belongs to that of its quantity. The column
 * of components has no cell if it states only names, which `polymer(s)` or `solvent(s)` contains. There is no column of
 * the id, nor of the flags for blends.
 */
export const reviewColumns: readonly ReviewColumn[] = catalogColumns.flatMap((column): ReviewColumn[] => {
  const member = memberOfColumn(column);
  if (!member || member.kind === 'unit') return [];
  const own = { column, label: fieldName(member.member), cellOf: cellIn(member) };
  const summary = summaries.find(({ components }) => components === column);
  if (!summary) return [own];
  const names = (data: ExperimentData) => textCell(namesAt(data, member)?.join('–'));
  return [
    { column: summary.names, label: own.label, cellOf: names },
    { ...own, label: column === 'polymer_components' ? 'Polymer components' : 'Solvent components' },
  ];
});

/** Returns the column of a path in a record, such as `voltage` for `processParameter.voltage`; undefined without one. */
export function columnOfPath(path: string): string | undefined {
  const [group, name, inner] = path.replaceAll(/\[\d*\]/g, '').split('.');
  const column = catalogColumns.find((one) => {
    const member = memberOfColumn(one);
    return (
      member &&
      (member.group === undefined ? member.member === group : member.group === group && member.member === name)
    );
  });
  const quantity = column?.replace(/_unit$/, '');
  const summary = summaries.find(({ components }) => components === quantity);
  const isName = column !== undefined && inner !== undefined && memberOfColumn(column)?.nameMember === inner;
  return summary && isName ? summary.names : quantity;
}

function cellIn(member: ColumnMember): (data: ExperimentData) => Cell | undefined {
  const unitMember = { ...member, member: `${member.member}Unit` };
  return (data) => {
    const value = valueAt(data, member);
    switch (member.kind) {
      case 'quantity': {
        const unit = valueAt(data, unitMember);
        return typeof value === 'number'
          ? textCell(String(value), typeof unit === 'string' ? unit : undefined)
          : undefined;
      }
      case 'boolean':
        return typeof value === 'boolean' ? textCell(value ? 'yes' : 'no') : undefined;
      case 'labels':
        return textCell(namesAt(data, member)?.join(', '), undefined, value);
      case 'object':
        return textCell(membersText(value, ''), undefined, value);
      case 'list': {
        const items = Array.isArray(value) ? value : [];
        const hasMore =
          member.nameMember === undefined || items.some((item) => Object.keys(membersOf(item)).length > 1);
        const texts = items.map((item) => membersText(item, member.nameMember ?? 'imageType'));
        return hasMore && items.length > 0 ? textCell(texts.join('; '), undefined, value) : undefined;
      }
      default:
        return typeof value === 'string' || typeof value === 'number' ? textCell(String(value)) : undefined;
    }
  };
}

function textCell(text: string | undefined, unit?: string, value?: unknown): Cell | undefined {
  if (text === undefined || text === '') return undefined;
  const short = shorten(text);
  const whole = value === undefined ? text : JSON.stringify(value);
  const key = whole === short ? whole : createHash('sha256').update(whole).digest('base64');
  return { text: short, unit, key: `${key} ${unit ?? ''}` };
}

/**
 * Describes an object, beginning with its name: "PVA (weight ratio 70 wt%)". The member `…Unit` has the unit of a number,
 * and `unit` that of `size`.
 */
function membersText(value: unknown, nameMember: string): string {
  const members = membersOf(value);
  const unitOf = (name: string) => textOf(members[name === 'size' ? 'unit' : `${name}Unit`]);
  const isUnit = (name: string) =>
    name === 'unit' ? 'size' in members : name.endsWith('Unit') && name.slice(0, -4) in members;
  const texts = Object.entries(members).flatMap(([name, one]) => {
    if (name === nameMember || name === 'imageId' || isUnit(name)) return [];
    const text = withUnit(textOf(one) ?? JSON.stringify(one), unitOf(name));
    return [name === 'size' ? text : `${fieldName(name).toLowerCase()} ${text}`];
  });
  const name = textOf(members[nameMember]) ?? (nameMember === 'imageType' ? 'image' : undefined);
  if (name === undefined) return texts.join(', ');
  return texts.length === 0 ? name : `${name} (${texts.join(', ')})`;
}

export function withUnit(text: string, unit: string | undefined): string {
  if (unit === undefined) return text;
  return unit === '%' ? `${text}%` : `${text} ${unit}`;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
