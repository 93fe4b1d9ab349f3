import type { FreeObject, FreeValue } from '../catalog/catalog.ts';
import { isPlainText } from './plain-text.ts';
import { isObject } from './is-object.ts';
import { describe, join } from './problems.ts';
import { FREE_TEXT_LENGTH, readName, readNumber, readText, report, wrongType } from './read-value.ts';
import type { Reading } from './read-value.ts';

const MAX_MEMBERS = 100;
export const MAX_LEVELS = 4;
const MAX_NAME_LENGTH = 100;

/** Names that would change the prototype of an object in a JavaScript consumer. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads an object with free members: texts, numbers, booleans, and lists and objects of them. A member named `unit`,
 * `…Unit` or `…_unit` must be a unit of the unit list. Returns undefined if no member remains.
 */
export function readFreeObject(reading: Reading, path: string, value: unknown): FreeObject | undefined {
  if (!isObject(value)) return wrongType(reading, path, value, 'an object');
  const left = { members: MAX_MEMBERS };
  const read = readMembers(reading, path, value, MAX_LEVELS, left);
  if (left.members < 0) {
    report(reading, path, 'TOO_MANY_ITEMS', () => `Expected at most ${MAX_MEMBERS} members in all.`);
  }
  return read;
}

function isMemberName(name: string): boolean {
  if (name === '' || name.length > MAX_NAME_LENGTH || RESERVED.has(name)) return false;
  return name.trim() === name && isPlainText(name);
}

function readMembers(
  reading: Reading,
  path: string,
  value: Readonly<Record<string, unknown>>,
  levels: number,
  left: { members: number },
): FreeObject | undefined {
  const members: [string, FreeValue][] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    left.members -= 1;
    if (left.members < 0) break;
    const memberPath = join(path, name);
    if (!isMemberName(name)) {
      report(
        reading,
        memberPath,
        'UNKNOWN_MEMBER',
        () => `The member name ${describe(name)} is not allowed; choose another.`,
      );
      continue;
    }
    if (member === null) continue;
    const read = /(?:^u|U|_u)nit$/.test(name)
      ? readName(reading, memberPath, member, 'units')?.unit
      : readValue(reading, memberPath, member, levels, left);
    if (read !== undefined) members.push([name, read]);
  }
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function readValue(
  reading: Reading,
  path: string,
  value: unknown,
  levels: number,
  left: { members: number },
): FreeValue | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return readNumber(reading, path, value);
  if (typeof value === 'string') return readText(reading, path, value, FREE_TEXT_LENGTH);
  if (levels === 1) {
    report(reading, path, 'TOO_DEEP', () => `Expected at most ${MAX_LEVELS} levels of nesting.`);
    return undefined;
  }
  if (isObject(value)) return readMembers(reading, path, value, levels - 1, left);
  if (!Array.isArray(value)) return wrongType(reading, path, value, 'a string, a number, true or false');
  const items: FreeValue[] = [];
  for (const [i, item] of value.entries()) {
    left.members -= 1;
    if (left.members < 0) break;
    const read = readValue(reading, `${path}[${i}]`, item, levels - 1, left);
    if (read !== undefined) items.push(read);
  }
  return items.length === 0 ? undefined : items;
}
