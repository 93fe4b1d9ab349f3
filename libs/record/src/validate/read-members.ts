import type { Field, Fields, Members } from '../catalog/catalog.ts';
import { recordFields } from '../catalog/catalog.ts';
import { checkLimits } from './check-limits.ts';
import { nearest } from './nearest-names.ts';
import { describe, join } from './problems.ts';
import { readFreeObject } from './read-free-object.ts';
import {
  readBoolean,
  readEmail,
  readImageId,
  readLabel,
  readList,
  readName,
  readNumber,
  wrongType,
  readObject,
  readOrcid,
  readText,
  readUnit,
  report,
} from './read-value.ts';
import type { Reading } from './read-value.ts';
import { snakeCase } from '../catalog/snake-case.ts';

interface Member {
  readonly name: string;
  readonly read: (reading: Reading, path: string, value: unknown) => unknown;
  /** The member's own name, then deprecated spellings. */
  readonly spellings: readonly string[];
  /** The spelling that the read form repeats; ignored if the own name is present. */
  readonly repeated: string | undefined;
  readonly required: boolean;
}

function membersOf(fields: Fields, snake: boolean): Member[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.answered === true) return [];
    const formerly = field.formerly ?? [];
    const older = (own: string): string[] => (snake && snakeCase(own) !== own ? [snakeCase(own)] : []);
    const value: Member = {
      name,
      read: (reading, path, sent) => readField(reading, path, sent, field),
      spellings: [name, ...formerly, ...older(name)],
      repeated: undefined,
      required: field.kind === 'imageId',
    };
    if (field.kind !== 'quantity') return [value];
    const unitName = `${name}Unit`;
    const unit: Member = {
      name: unitName,
      read: (reading, path, sent) => readUnit(reading, path, sent, field),
      spellings: [unitName, ...formerly.map((former) => `${former}Unit`), ...older(unitName)],
      repeated: field.repeatUnit ? snakeCase(unitName) : undefined,
      required: false,
    };
    return [value, unit];
  });
}

interface Table {
  readonly members: readonly Member[];
  readonly known: ReadonlySet<string>;
}

const tables = new Map<Fields, Table>();

function tableOf(fields: Fields, snake: boolean): Table {
  const made = tables.get(fields);
  if (made !== undefined) return made;
  const members = membersOf(fields, snake);
  const answered = Object.keys(fields).filter((name) => fields[name]?.answered === true);
  const table: Table = { members, known: new Set([...members.flatMap(({ spellings }) => spellings), ...answered]) };
  tables.set(fields, table);
  return table;
}

/** The group of each member, for members sent in the wrong group: `voltage` → `processParameter`. */
const groupOf = new Map<string, string>();
for (const [group, field] of Object.entries<Field>(recordFields)) {
  if (field.kind !== 'group') continue;
  for (const { name } of membersOf(field.fields, false)) groupOf.set(name, group);
}

/** Reads the members of a table of fields; `null` means absent. Reports unknown members that are not in `ignored`. */
export function readMembers<F extends Fields>(
  reading: Reading,
  path: string,
  value: Readonly<Record<string, unknown>>,
  fields: F,
  ignored: ReadonlySet<string> = new Set(),
  snake = false,
): Members<F> {
  const { members, known } = tableOf(fields, snake);
  for (const name of Object.keys(value)) {
    if (!known.has(name) && !ignored.has(name)) reportUnknown(reading, path, name, members);
  }
  const read: Record<string, unknown> = {};
  const paths: Record<string, string> = {};
  const invalid = new Set<string>();
  for (const member of members) {
    const spelling = chooseSpelling(reading, path, value, member);
    if (spelling === undefined) {
      if (member.required) {
        report(reading, join(path, member.name), 'MISSING_VALUE', () => `\`${member.name}\` is required.`);
      }
      continue;
    }
    const before = reading.problems.count;
    const memberPath = join(path, spelling);
    const result = member.read(reading, memberPath, value[spelling]);
    if (result !== undefined) read[member.name] = result;
    paths[member.name] = memberPath;
    if (reading.problems.count > before) invalid.add(member.name);
  }
  for (const [name, field] of Object.entries<Field>(fields)) {
    const number = read[name];
    const unitName = `${name}Unit`;
    if ((field.kind !== 'quantity' && field.kind !== 'number') || typeof number !== 'number') continue;
    // A unit with a problem says nothing about the value.
    if (invalid.has(unitName)) continue;
    const unit = read[unitName] ?? (field.kind === 'quantity' ? field.defaultUnit : undefined);
    checkLimits(reading, paths[name] ?? name, number, field.limits, typeof unit === 'string' ? unit : undefined);
  }
  // Safe cast: each name is in the table, and each value has the type of its field.
  return read as Members<F>;
}

/** Returns the sent spelling of a member; reports spellings with different values. */
function chooseSpelling(
  reading: Reading,
  path: string,
  value: Readonly<Record<string, unknown>>,
  member: Member,
): string | undefined {
  const [first, ...others] = member.spellings.filter((s) => Object.hasOwn(value, s) && value[s] !== null);
  if (first === undefined) return undefined;
  for (const other of others) {
    if (other === member.repeated || value[other] === value[first]) continue;
    report(
      reading,
      join(path, other),
      'CONFLICTING_MEMBERS',
      () => `\`${other}\` and \`${first}\` name the same field but differ; send one of them.`,
    );
  }
  return first;
}

function reportUnknown(reading: Reading, path: string, name: string, members: readonly Member[]): void {
  report(reading, join(path, name), 'UNKNOWN_MEMBER', () => {
    const spellings = members.flatMap(({ spellings }) => spellings.map((s) => [s.toLowerCase(), s] as const));
    const [near] = nearest(name.toLowerCase(), spellings);
    const group = groupOf.get(name);
    if (near !== undefined) return `Unknown member ${describe(name)}; nearest: ${describe(near)}.`;
    if (group !== undefined) return `Unknown member ${describe(name)}; it belongs in ${describe(group)}.`;
    return `Unknown member ${describe(name)}; known: ${members.map((member) => member.name).join(', ')}.`;
  });
}

function readField(reading: Reading, path: string, value: unknown, field: Field): unknown {
  switch (field.kind) {
    case 'text':
      return readText(reading, path, value, field.maxLength);
    case 'email':
      return readEmail(reading, path, value);
    case 'orcid':
      return readOrcid(reading, path, value);
    case 'imageId':
      return readImageId(reading, path, value);
    case 'name':
      return readName(reading, path, value, field.list)?.name;
    case 'boolean':
      return readBoolean(reading, path, value, field.yesOrNo);
    case 'number':
    case 'quantity': {
      const number = readNumber(reading, path, value);
      const isRefused = field.kind === 'number' && field.isInteger && number !== undefined && !Number.isInteger(number);
      return isRefused ? wrongType(reading, path, value, 'a whole number') : number;
    }
    case 'labels': {
      const items = readList(reading, path, value, field.maxItems) ?? [];
      const labels = items.map((item, i) => readLabel(reading, `${path}[${i}]`, item, field.list));
      const read = labels.filter((label) => label !== undefined);
      return read.length === 0 ? undefined : read;
    }
    case 'object': {
      const members = readFreeObject(reading, path, value);
      for (const [name, limits] of Object.entries(field.memberLimits)) {
        const member = members?.[name];
        const number = typeof member === 'string' ? Number(member) : member;
        if (typeof number === 'number' && !Number.isNaN(number)) checkLimits(reading, join(path, name), number, limits);
      }
      return members;
    }
    case 'group': {
      const members = readObject(reading, path, value);
      if (members === undefined) return undefined;
      const read = readMembers(reading, path, members, field.fields, undefined, field.snakeCase);
      // An empty mandatory group remains: its presence decides which field is reported as missing.
      return field.mandatory === true || Object.keys(read).length > 0 ? read : undefined;
    }
    case 'list': {
      const items = readList(reading, path, value, field.maxItems) ?? [];
      const read = items.map((item, i) => {
        const itemPath = `${path}[${i}]`;
        const members = readObject(reading, itemPath, item);
        return members && readMembers(reading, itemPath, members, field.fields);
      });
      const present = read.filter((item) => item !== undefined);
      return present.length === 0 ? undefined : present;
    }
  }
}
