import { recordFields } from './catalog.ts';
import type { ExperimentData, Field, Fields } from './catalog.ts';
import { snakeCase } from './snake-case.ts';

type Values = Readonly<Record<string, unknown>>;

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sorts members by name, recursively, because JSON storage may reorder them. */
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
    // The first member identifies the item: a component or an image without it is not published.
    const items = value.filter(isValues).filter((item) => (item[key] ?? undefined) !== undefined);
    return items.length === 0 ? undefined : items.map((item) => publicMembers(field.fields, item));
  }
  return value ?? undefined;
}

function publicMembers(fields: Fields, values: Values): Values {
  const members: [string, unknown][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = field.isPrivate ? undefined : publicValue(field, values[name]);
    if (value !== undefined) members.push([name, value]);
    if (field.kind !== 'quantity') continue;
    const unit = values[`${name}Unit`] ?? undefined;
    if (unit === undefined) continue;
    members.push([`${name}Unit`, unit]);
    if (field.repeatUnit) members.push([snakeCase(`${name}Unit`), unit]);
  }
  return Object.fromEntries(members);
}

/** Returns the published members of a record, in catalog order, without its id. */
export function publicData(data: Values): Values {
  return publicMembers(recordFields, data);
}

/**
 * Returns the read form of a record as compact JSON: `recordId` and its older alias `experimentId`, then the groups in
 * catalog order. Omits absent values, empty groups and unnamed components. The text does not depend on the member order
 * of `data`.
 */
export function publicRecordJson(recordId: number, data: ExperimentData): string {
  return JSON.stringify({ recordId, experimentId: recordId, ...publicData(data) });
}

/**
 * Parses the output of `publicRecordJson` without validation. Members that the read form adds remain.
 * Throws if the text is not a JSON object with a record id.
 */
export function parsePublicRecord(json: string): { recordId: number; data: ExperimentData } {
  const record: unknown = JSON.parse(json);
  if (typeof record !== 'object' || record === null || !('recordId' in record)) throw new Error('not a public record');
  const { recordId } = record;
  if (typeof recordId !== 'number') throw new Error(`invalid record id ${String(recordId)}`);
  return { recordId, data: record };
}
