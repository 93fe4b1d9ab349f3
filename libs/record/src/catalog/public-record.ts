import { recordFields } from './catalog.ts';
import type { ExperimentData, Field, Fields } from './catalog.ts';
import { snakeCase } from './snake-case.ts';

type Values = Readonly<Record<string, unknown>>;

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Free members in the order of their names: a store may have changed their order. */
export function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isValues(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

function publicValue(field: Field, value: unknown): unknown {
  if (field.kind === 'object') return sortMembers(value);
  if (field.kind === 'labels' && Array.isArray(value)) {
    const labels = value.filter(isValues).map(({ category, label }) => ({ category, label }));
    return labels.length === 0 ? undefined : labels;
  }
  if (field.kind === 'group' && isValues(value)) {
    const members = publicMembers(field.fields, value);
    return Object.keys(members).length === 0 ? undefined : members;
  }
  if (field.kind === 'list' && Array.isArray(value)) {
    const [[key] = ['']] = Object.entries(field.fields);
    // The first member names the item: a component or an image without it is not published.
    const items = value.filter(isValues).filter((item) => (item[key] ?? undefined) !== undefined);
    return items.length === 0 ? undefined : items.map((item) => publicMembers(field.fields, item));
  }
  return value ?? undefined;
}

function publicMembers(fields: Fields, values: Values): Values {
  const members: [string, unknown][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = publicValue(field, values[name]);
    if (value !== undefined) members.push([name, value]);
    if (field.kind !== 'quantity') continue;
    const unit = values[`${name}Unit`] ?? undefined;
    if (unit === undefined) continue;
    members.push([`${name}Unit`, unit]);
    if (field.repeatUnit) members.push([snakeCase(`${name}Unit`), unit]);
  }
  return Object.fromEntries(members);
}

/**
 * The read form of a record as compact JSON: `recordId` and its older twin `experimentId` first, then the groups in the
 * order of the catalog. Absent values are left out; there is no `null`, no empty group and no component without a
 * name. The same data gives the same text, whatever the order of its members.
 */
export function publicRecordJson(recordId: number, data: ExperimentData): string {
  return JSON.stringify({ recordId, experimentId: recordId, ...publicMembers(recordFields, data) });
}

/**
 * Reads what `publicRecordJson` wrote. Its members are those of the catalog, because a record is validated before it is
 * published; members that were added for clients come along. Throws when the text is no JSON object with a record id.
 */
export function parsePublicRecord(json: string): { recordId: number; data: ExperimentData } {
  const record: unknown = JSON.parse(json);
  if (typeof record !== 'object' || record === null || !('recordId' in record)) throw new Error('no public record');
  const { recordId } = record;
  if (typeof recordId !== 'number') throw new Error(`${String(recordId)} is no record id`);
  return { recordId, data: record };
}
