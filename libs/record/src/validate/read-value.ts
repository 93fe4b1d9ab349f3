import { isEmail } from '../metadata/email.ts';
import { normalizeOrcid } from '../metadata/orcid.ts';
import { isObject } from './is-object.ts';
import { FORBIDDEN_CHARACTER, trimmedText } from './plain-text.ts';
import { describe, join } from './problems.ts';
import type { ProblemCode, ProblemList, RecordWarning } from './problems.ts';
import { nearestNames, resolveName } from '../reference/reference.ts';
import type { EntryOf, ListName, References } from '../reference/reference.ts';
import type { Label, QuantityField } from '../catalog/catalog.ts';

/** The context of the readers: inputs, and the lists to which they add problems and warnings. */
export interface Reading {
  readonly references: References;
  readonly problems: ProblemList;
  readonly warnings: RecordWarning[];
  /** Retired names cause a warning instead of a problem, because an updated record may keep them. */
  readonly keepsRetired: boolean;
  /** Path in the body to which the paths of readers are relative. */
  readonly base: string;
}

/** Maximum characters of a text for which the catalog defines no limit. */
export const FREE_TEXT_LENGTH = 2_000;

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

const lists: Record<ListName, { code: ProblemCode; what: string; where: string }> = {
  polymers: { code: 'UNKNOWN_POLYMER', what: 'polymer', where: '/metadata/polymers' },
  solvents: { code: 'UNKNOWN_SOLVENT', what: 'solvent', where: '/metadata/solvents' },
  units: { code: 'UNKNOWN_UNIT', what: 'unit', where: '/metadata/units' },
  morphologies: { code: 'UNKNOWN_MORPHOLOGY', what: 'morphology', where: '/metadata/morphologies' },
  instabilities: { code: 'UNKNOWN_INSTABILITY', what: 'instability', where: '/metadata/instabilities' },
};

/** Adds a problem; `path` is relative to `reading.base`. */
export function report(reading: Reading, path: string, code: ProblemCode, message: () => string): void {
  const { base } = reading;
  reading.problems.add(() => (base === '' || path === '' ? base + path : `${base}.${path}`), code, message);
}

export function wrongType(reading: Reading, path: string, value: unknown, wanted: string): undefined {
  report(reading, path, 'WRONG_TYPE', () => `Expected ${wanted}, got ${describe(value)}.`);
  return undefined;
}

/** Returns the members of an object, or undefined after reporting a problem. */
export function readObject(
  reading: Reading,
  path: string,
  value: unknown,
): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : wrongType(reading, path, value, 'an object');
}

/** Returns at most `maxItems` items and reports excess ones; undefined after reporting a value that is not a list. */
export function readList(reading: Reading, path: string, value: unknown, maxItems: number): unknown[] | undefined {
  if (!Array.isArray(value)) return wrongType(reading, path, value, 'an array');
  const items: unknown[] = value;
  if (items.length <= maxItems) return items;
  report(reading, path, 'TOO_MANY_ITEMS', () => `Expected at most ${maxItems} items, got ${items.length}.`);
  return items.slice(0, maxItems);
}

/** Returns the trimmed text; undefined if it is empty, or after reporting a problem. */
export function readText(reading: Reading, path: string, value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return wrongType(reading, path, value, 'a string');
  const text = trimmedText(value);
  // The limit counts characters, as in JSON Schema; a character has at most two code units.
  if (text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength)) {
    report(reading, path, 'TOO_LONG', () => `Expected at most ${maxLength} characters, got ${[...text].length}.`);
    return undefined;
  }
  if (!text.isWellFormed()) {
    report(
      reading,
      path,
      'INVALID_TEXT',
      () => `The text ${describe(text)} contains a lone surrogate; send well-formed Unicode.`,
    );
    return undefined;
  }
  const forbidden = FORBIDDEN_CHARACTER.exec(text)?.[0];
  if (forbidden !== undefined) {
    const code = forbidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    report(
      reading,
      path,
      'INVALID_TEXT',
      () => `The text ${describe(text)} contains the control character U+${code}; remove it.`,
    );
    return undefined;
  }
  return text === '' ? undefined : text;
}

export function readNumber(reading: Reading, path: string, value: unknown): number | undefined {
  if (typeof value !== 'number') {
    const hint = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
    return wrongType(reading, path, value, hint ? 'a number without quotes' : 'a number');
  }
  if (!Number.isFinite(value)) {
    report(reading, path, 'NOT_FINITE', () => `Expected a finite number (at most about 1.8e308), got ${value}.`);
    return undefined;
  }
  // JSON writes -0 as 0.
  return value === 0 ? 0 : value;
}

export function readBoolean(reading: Reading, path: string, value: unknown, yesOrNo = false): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (yesOrNo && typeof value === 'string') {
    const text = value.trim().toLowerCase();
    if (text === 'yes' || text === 'no') return text === 'yes';
  }
  return wrongType(reading, path, value, yesOrNo ? 'true, false, "yes" or "no"' : 'true or false');
}

export function readEmail(reading: Reading, path: string, value: unknown): string | undefined {
  const text = readText(reading, path, value, FREE_TEXT_LENGTH);
  if (text === undefined || isEmail(text)) return text;
  report(
    reading,
    path,
    'INVALID_FORMAT',
    () => `Expected an email address such as name@example.org, got ${describe(text)}.`,
  );
  return undefined;
}

export function readOrcid(reading: Reading, path: string, value: unknown): string | undefined {
  const text = readText(reading, path, value, FREE_TEXT_LENGTH);
  if (text === undefined) return undefined;
  const orcid = normalizeOrcid(text);
  if (orcid === undefined) {
    report(
      reading,
      path,
      'INVALID_FORMAT',
      () => `Expected an ORCID iD with a valid check digit, such as 0000-0002-1825-0097, got ${describe(text)}.`,
    );
  }
  return orcid;
}

export function readImageId(reading: Reading, path: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return wrongType(reading, path, value, 'a string');
  const id = value.trim().toLowerCase();
  if (UUID.test(id)) return id;
  report(
    reading,
    path,
    'INVALID_FORMAT',
    () => `Expected the \`imageId\` of an uploaded image, got ${describe(value)}.`,
  );
  return undefined;
}

/** Returns the entry that a text resolves to; undefined without text, or after reporting a problem. */
export function readName<L extends ListName>(
  reading: Reading,
  path: string,
  value: unknown,
  list: L,
): EntryOf<L> | undefined {
  const text = readText(reading, path, value, FREE_TEXT_LENGTH);
  if (text === undefined) return undefined;
  const resolution = resolveName(reading.references, list, text);
  const { code, what, where } = lists[list];
  if (resolution.kind === 'found') {
    const { entry } = resolution;
    if (entry.retired === true) {
      const instead =
        'sameAs' in entry && entry.sameAs !== undefined
          ? `send ${describe(entry.sameAs)} instead`
          : `choose another from ${where}`;
      const message = (): string => `The ${what} ${describe(text)} is retired; ${instead}.`;
      if (reading.keepsRetired) reading.warnings.push({ path, code: 'RETIRED_NAME', message: message() });
      else report(reading, path, 'RETIRED_NAME', message);
    }
    return entry;
  }
  if (resolution.kind === 'ambiguous') {
    const { meanings, joint } = resolution;
    report(reading, path, 'AMBIGUOUS_NAME', () =>
      joint === undefined
        ? `The ${what} ${describe(text)} is ambiguous; send ${meanings.join(' or ')}.`
        : `The ${what} ${describe(text)} names ${meanings.join(' and ')}; send one of them, or each as a component.`,
    );
  } else {
    report(reading, path, code, () => {
      const nearest = nearestNames(reading.references, list, text).map(describe).join(', ');
      return `Unknown ${what} ${describe(text)}; ${nearest === '' ? `see ${where}` : `nearest: ${nearest}`}.`;
    });
  }
  return undefined;
}

export function readUnit(reading: Reading, path: string, value: unknown, field: QuantityField): string | undefined {
  const entry = readName(reading, path, value, 'units');
  if (entry === undefined || field.dimensions.includes(entry.dimension)) return entry?.unit;
  report(reading, path, 'UNIT_NOT_APPLICABLE', () => {
    const units = reading.references.lists.units.filter(
      ({ dimension, retired }) => retired !== true && field.dimensions.includes(dimension),
    );
    const some = units.slice(0, 12).map(({ unit }) => unit);
    const accepted = units.length > some.length ? [...some, '…'] : some;
    return `The unit ${describe(value)} (${entry.name}, ${entry.dimension}) does not fit this field; accepted: ${accepted.join(', ')}.`;
  });
  return undefined;
}

/** Reads a label, sent as text or as `{category, label}`; the category comes from the list. */
export function readLabel(
  reading: Reading,
  path: string,
  value: unknown,
  list: 'morphologies' | 'instabilities',
): Label | undefined {
  if (typeof value === 'string') {
    const entry = readName(reading, path, value, list);
    if (entry !== undefined) return { category: entry.category, label: entry.label };
    if (value.trim() === '') missingLabel(reading, path);
    return undefined;
  }
  if (!isObject(value)) return wrongType(reading, path, value, 'a label or an object with `category` and `label`');
  for (const member of Object.keys(value)) {
    if (member === 'category' || member === 'label') continue;
    report(
      reading,
      join(path, member),
      'UNKNOWN_MEMBER',
      () => `Unknown member ${describe(member)}; known: category, label.`,
    );
  }
  const category = value['category'] ?? undefined;
  const sent = category === undefined ? undefined : readText(reading, `${path}.category`, category, FREE_TEXT_LENGTH);
  const label = value['label'] ?? '';
  const entry = readName(reading, `${path}.label`, label, list);
  if (typeof label === 'string' && label.trim() === '') missingLabel(reading, `${path}.label`);
  if (entry === undefined) return undefined;
  if (sent !== undefined && sent.toLowerCase() !== entry.category.toLowerCase()) {
    reading.warnings.push({
      path: `${path}.category`,
      code: 'CATEGORY_CORRECTED',
      message: `The label ${describe(entry.label)} belongs to ${describe(entry.category)}, not to ${describe(sent)}; the category is corrected.`,
    });
  }
  return { category: entry.category, label: entry.label };
}

function missingLabel(reading: Reading, path: string): void {
  report(reading, path, 'MISSING_VALUE', () => 'A label is required.');
}
