import { closestSpelling, plainSpelling } from '../filter/nearest-filter-key.ts';
import { nearest } from '../validate/nearest-names.ts';
import { describe } from '../validate/problems.ts';
import { recordFields } from './catalog.ts';
import type { Fields } from './catalog.ts';
import { snakeCase } from './snake-case.ts';

/**
 * Selected members of a record, as paths without list indexes (`polymerProperty.polymerComponents.polymerName`). The form is
 * canonical: each path once, in catalog order, without paths that another path implies. `recordId` occurs only on its own.
 */
export type FieldSelection = readonly string[];

interface Known {
  path: string;
  /** Implied members: the unit of a quantity, in each of its spellings. */
  along: readonly string[];
  similar: readonly string[];
}

function* namesOf(fields: Fields, path = ''): Generator<Known> {
  for (const [name, field] of Object.entries(fields)) {
    const own = path + name;
    const units = field.kind !== 'quantity' ? [] : [`${own}Unit`, ...(field.repeatUnit ? [snakeUnit(path, name)] : [])];
    const { column, formerly = [] } = field;
    yield { path: own, along: units, similar: [name, ...(column === undefined ? [] : [column]), ...formerly] };
    for (const unit of units) yield { path: unit, along: [], similar: [] };
    if (field.kind === 'group' || field.kind === 'list') yield* namesOf(field.fields, `${own}.`);
    if (field.kind !== 'labels') continue;
    for (const member of ['category', 'label']) yield { path: `${own}.${member}`, along: [], similar: [] };
  }
}

const snakeUnit = (path: string, name: string): string => path + snakeCase(`${name}Unit`);

const RECORD_ID = 'recordId';

const known: ReadonlyMap<string, Known> = new Map(
  [
    ...[RECORD_ID, 'experimentId'].map((path): Known => ({ path, along: [], similar: [] })),
    ...namesOf(recordFields),
  ].map((one) => [one.path, one]),
);

const spellings: readonly (readonly [spelling: string, path: string])[] = [
  ...[...known.keys()].map((path) => [plainSpelling(path), path] as const),
  ...[...known.values()].flatMap(({ path, similar }) =>
    similar.map((spelling) => [plainSpelling(spelling), path] as const),
  ),
];

/** Parses comma-separated groups and members. The text of a problem follows the name of the parameter in a message. */
export function parseFields(text: string): { fields: FieldSelection } | { problem: string } {
  const requested = new Set(text.split(','));
  for (const name of requested) {
    if (known.has(name)) continue;
    if (name === '')
      return { problem: 'must not contain an empty name (example: polymerProperty,processParameter.voltage)' };
    const near = nearest(plainSpelling(name), spellings)[0] ?? closestSpelling(name, spellings) ?? RECORD_ID;
    return { problem: `must contain known members only (${describe(name)} is not one; nearest: "${near}")` };
  }
  const implied = new Set([...requested].flatMap((name) => known.get(name)?.along ?? []));
  const isImplied = (path: string): boolean => implied.has(path) || ancestors(path).some((one) => requested.has(one));
  const fields = [...known.keys()].filter((path) => path !== RECORD_ID && requested.has(path) && !isImplied(path));
  return { fields: fields.length === 0 ? [RECORD_ID] : fields };
}

/** Returns a canonical text for caches and entity tags; `parseFields` accepts it. */
export function fieldsText(fields: FieldSelection): string {
  return fields.join();
}

/** Returns the paths of the groups and lists that contain a member. */
function ancestors(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('.'));
}

type Part = Map<string, Part | 'whole'>;

/**
 * Returns a function that picks these members, `recordId` and the units from a record in read form. It omits groups
 * and lists without selected values. List items keep their index: an item without selected values becomes `{}`.
 */
export function fieldPicker(fields: FieldSelection): (record: unknown) => unknown {
  const all: Part = new Map([[RECORD_ID, 'whole']]);
  for (const path of fields.flatMap((field) => [field, ...(known.get(field)?.along ?? [])])) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let part = all;
    for (const name of names) {
      const inner = part.get(name);
      if (inner === 'whole') break;
      const next: Part = inner ?? new Map<string, Part | 'whole'>();
      part.set(name, next);
      part = next;
    }
    part.set(last, 'whole');
  }
  return (record) => pick(record, all) ?? {};
}

function pick(value: unknown, part: Part): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => pick(item, part));
    return items.every((item) => item === undefined) ? undefined : items.map((item) => item ?? {});
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    const inner = part.get(name);
    const taken = inner === 'whole' ? member : inner && pick(member, inner);
    return taken === undefined ? [] : [[name, taken]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
