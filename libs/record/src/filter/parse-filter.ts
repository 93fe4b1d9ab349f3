import { normalizeDoi } from '../metadata/doi.ts';
import {
  type CategoryKey,
  isSystemKey,
  paperKeys,
  type PaperKey,
  type RangeKeys,
  rangeKeys,
  type TextKey,
  textKeys,
} from './filter-keys.ts';
import { type Condition, conditionStatuses, type Filter, type RangeCondition } from './filter.ts';
import { nearestFilterKeys } from './nearest-filter-key.ts';
import { isPlainLine, isPlainText } from '../validate/plain-text.ts';
import { describe, shorten } from '../validate/problems.ts';
import { isObject } from '../validate/is-object.ts';
import { fold } from '../reference/fold.ts';
import { byCodePoint } from './text-order.ts';
import { doiTerm } from './text-terms.ts';
import { withUnit } from '../units/units.ts';

/** Maximum characters of a filter's JSON text in a URL. */
export const MAX_FILTER_LENGTH = 4_096;
/** Maximum characters of a filter's JSON text in the body of a request. */
export const MAX_BODY_FILTER_LENGTH = 256 * 1024;
const MAX_VALUES = 2_000;

const MAX_DESCRIBED = 5;

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

export interface FilterProblem {
  readonly code: 'INVALID_FILTER';
  /** The key of the first problem; absent if the filter as a whole is invalid. */
  readonly key?: string;
  /** The first five problems. */
  readonly message: string;
}

interface Issue {
  readonly key?: string;
  /** Called only for described problems: a hostile filter may have hundreds. */
  readonly message: () => string;
}

const example = '{"polymer":"PVDF","voltageMin":10}';
const bounds = new Map<string, { feature: RangeKeys; bound: 'min' | 'max' }>(
  rangeKeys.flatMap((feature) => [
    [feature.min, { feature, bound: 'min' }] as const,
    [feature.max, { feature, bound: 'max' }] as const,
  ]),
);
const texts = new Map<string, TextKey | PaperKey>(
  [...textKeys.map(({ key }) => key), ...paperKeys].map((key) => [key, key]),
);

/**
 * Parses the JSON text of a filter into canonical form: conditions sorted by key, texts trimmed and folded. Each
 * ambiguity is a problem, so that a mistyped filter never returns unintended records.
 */
export function parseFilter(
  text: string,
  maxLength = MAX_FILTER_LENGTH,
): { filter: Filter } | { problem: FilterProblem } {
  if (text.length > maxLength) {
    const hint = maxLength < MAX_BODY_FILTER_LENGTH ? ' Send a longer one to POST /public/queries.' : '';
    return invalid([
      { message: () => `A filter must have at most ${maxLength} characters; this one has ${text.length}.${hint}` },
    ]);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid([
      { message: () => `Expected a JSON object such as ${example}, got text that is not JSON: ${describe(text)}.` },
    ]);
  }
  if (!isObject(value)) {
    return invalid([{ message: () => `Expected a JSON object such as ${example}, got ${describe(value)}.` }]);
  }
  const issues: Issue[] = duplicateKeys(text).map((key) => ({
    key: shorten(key),
    message: () => `The key ${describe(key)} appears more than once; give each key once.`,
  }));
  const conditions: Condition[] = [];
  const ranges = new Map<RangeKeys, RangeCondition>();
  for (const [key, member] of Object.entries(value)) {
    const bound = bounds.get(key);
    const read = bound === undefined ? readCondition(key, member) : readNumber(key, member, bound.feature.unit);
    if (isIssue(read)) issues.push(read);
    else if (typeof read !== 'number') conditions.push(read);
    else if (bound !== undefined) {
      const { feature } = bound;
      const known = ranges.get(feature) ?? { kind: 'range', key: feature.feature };
      ranges.set(feature, { ...known, [bound.bound]: read });
    }
  }
  for (const [{ min, max, unit }, range] of ranges) {
    if (range.min !== undefined && range.max !== undefined && range.min > range.max) {
      const sides = `\`${min}\` (${withUnit(range.min, unit)}) is above \`${max}\` (${withUnit(range.max, unit)})`;
      issues.push({ key: min, message: () => `${sides}, so no record can match; swap them.` });
    }
  }
  if (issues.length > 0) return invalid(issues);
  return { filter: [...conditions, ...ranges.values()].sort((a, b) => byCodePoint(a.key, b.key)) };
}

function invalid(issues: readonly Issue[]): { problem: FilterProblem } {
  const more = issues.length - MAX_DESCRIBED;
  const messages = issues.slice(0, MAX_DESCRIBED).map(({ message }) => message());
  if (more > 0) messages.push(`And ${more} more.`);
  const key = issues[0]?.key;
  return { problem: { code: 'INVALID_FILTER', ...(key === undefined ? {} : { key }), message: messages.join(' ') } };
}

function isIssue(read: Condition | Issue | number): read is Issue {
  return typeof read === 'object' && 'message' in read;
}

function readCondition(key: string, value: unknown): Condition | Issue {
  const textKey = texts.get(key);
  const category = textKey ?? (key === 'isFormationStable' || isSystemKey(key) ? key : undefined);
  if (category !== undefined && typeof value === 'string' && value.trim().startsWith('=')) {
    return readValues(category, value.trim().slice(1));
  }
  if (isSystemKey(key)) {
    // A system is compared as a whole, with and without `=`.
    if (typeof value === 'string' && value.trim() !== '') return readValues(key, value.trim());
    return { key, message: () => `\`${key}\` must be names such as "PEO/PVA", got ${describe(value)}.` };
  }
  if (textKey !== undefined) return readText(textKey, value);
  if (key === 'isFormationStable') {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
    if (word === 'yes' || word === 'no') return { kind: 'flag', key, value: word === 'yes' };
    return { key, message: () => `\`${key}\` must be "yes" or "no", got ${describe(value)}.` };
  }
  if (key === 'status') {
    const word = typeof value === 'string' ? value.trim().toUpperCase() : undefined;
    const status = conditionStatuses.find((known) => known === word);
    if (status !== undefined) return { kind: 'status', key, status };
    return { key, message: () => `\`${key}\` must be one of ${conditionStatuses.join(', ')}, got ${describe(value)}.` };
  }
  const nearest = (): string => nearestFilterKeys(key).join('" or "');
  return { key: shorten(key), message: () => `Unknown filter key ${describe(key)}; nearest: "${nearest()}".` };
}

function readText(key: TextKey | PaperKey, value: unknown): Condition | Issue {
  if (typeof value !== 'string') return { key, message: () => `\`${key}\` must be a string, got ${describe(value)}.` };
  const trimmed = value.trim();
  if (!trimmed.isWellFormed()) return notWellFormed(key, trimmed);
  if (!isPlainLine(trimmed)) return notPlain(key, trimmed);
  const text = key === 'doi' ? normalizeDoi(fold(trimmed)) : fold(trimmed);
  if (text === '') {
    return {
      key,
      message: () =>
        `\`${key}\`: The text ${describe(value)} would match every record; send a longer text or leave the key out.`,
    };
  }
  return { kind: 'text', key, text };
}

function notPlain(key: CategoryKey, text: string): Issue {
  return { key, message: () => `\`${key}\`: The text ${describe(text)} contains a control character; remove it.` };
}

function notWellFormed(key: CategoryKey, text: string): Issue {
  return {
    key,
    message: () => `\`${key}\`: The text ${describe(text)} contains a lone surrogate; send well-formed Unicode.`,
  };
}

/** Parses the text after `=`: values separated by `|`, with the escapes `\|` and `\\`; an empty text means no value. */
function readValues(key: CategoryKey, text: string): Condition | Issue {
  const issue = (problem: string): Issue => ({ key, message: () => `\`${key}\`: ${problem}` });
  if (!text.isWellFormed()) return notWellFormed(key, text);
  if (!isPlainText(text)) return notPlain(key, text);
  if (text === '') return { kind: 'values', key, values: [] };
  const written: string[] = [''];
  for (const [token] of text.matchAll(/\\[\\|]|[^]/g)) {
    if (token === '|') written.push('');
    else if (token === '\\') {
      return issue(`A backslash in ${describe(`=${text}`)} must be doubled; a bar that belongs to a value is \`\\|\`.`);
    } else written.push(`${written.pop() ?? ''}${token.length === 2 ? token.slice(1) : token}`);
  }
  if (written.length > MAX_VALUES) {
    return issue(`The text has ${written.length} values; at most ${MAX_VALUES} are allowed. Split the filter.`);
  }
  const values = new Set(written.map((value) => (key === 'doi' ? doiTerm(value) : value.trim())));
  if (values.has('')) {
    return issue(`One of the values in ${describe(`=${text}`)} is empty; "=" alone matches records without a value.`);
  }
  if (key !== 'isFormationStable') return { kind: 'values', key, values: [...values].sort() };
  const words = [...values].map((value) => value.toLowerCase());
  const wrong = words.find((word) => word !== 'yes' && word !== 'no');
  if (wrong !== undefined) return issue(`A value must be "yes" or "no", got ${describe(wrong)}.`);
  const [word, ...others] = [...new Set(words)].sort();
  if (others.length === 0) return { kind: 'flag', key, value: word === 'yes' };
  return { kind: 'values', key, values: ['no', 'yes'] };
}

function readNumber(key: string, value: unknown, unit: string): number | Issue {
  const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value.trim()) : value;
  if (typeof number !== 'number') {
    return {
      key,
      message: () =>
        `\`${key}\` must be a number${unit === '1' || unit === '' ? '' : ` in ${unit}`}, such as ${key.startsWith('year') ? 2014 : 12.5}, got ${describe(value)}.`,
    };
  }
  if (!Number.isFinite(number)) {
    return {
      key,
      message: () => `\`${key}\` must be a finite number (at most about 1.8e308), got ${describe(value)}.`,
    };
  }
  return number === 0 ? 0 : number;
}

/** Returns the duplicate keys of an object's valid JSON text; `JSON.parse` reads only the last of them. */
export function duplicateKeys(text: string): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let depth = 0;
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && colon !== undefined) {
      const key = String(JSON.parse(token.slice(0, token.length - colon.length)));
      if (seen.has(key)) repeated.add(key);
      seen.add(key);
    }
  }
  return [...repeated];
}
