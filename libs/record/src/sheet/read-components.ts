import { findEntry, isJoined, nearestNames, type References, resolveName } from '../reference/reference.ts';
import { describe, MAX_SUGGESTIONS } from '../validate/problems.ts';
import { type ErrorReading, failed } from './cell-reading.ts';
import { readShares, shareIn, type Shares, splitShares } from './read-shares.ts';
import { splitJoinedNames } from '../reference/split-joined-names.ts';

/** A longer text counts as one name. */
const MAX_LENGTH = 200;
const CAS_NUMBER = /\b\d{2,7}-\d\d-\d\b/g;
const SEPARATOR = / ?(?:[/:+&,;、–—]|-|(?<= )(?:and|und|with|mit|containing)(?= )) ?/g;

/** The beginning of a detail outside of brackets: a molar mass, a K value, a ratio, or a number of at least four digits. */
const DETAIL = /^(?:m[nwv]\b|k[ -]?\d|\d+ ?[:/] ?\d+(?: ?\(|$)|\d{4}|\d[\d., -]*(?:k?da|k?g\/mol)\b)/;

interface Component {
  readonly name: string;
  /** In lower case. */
  readonly detail?: string;
  readonly share?: number;
  readonly unit?: string;
}

interface ComponentNames {
  readonly kind: 'names';
  readonly names: readonly string[];
  /** The detail of each name, in lower case; empty without any. */
  readonly details: readonly (string | undefined)[];
  readonly shares?: Shares;
}

/** A name that the list lacks, with the texts around it. */
interface UnknownName {
  readonly kind: 'unknown';
  readonly before: string;
  readonly name: string;
  readonly after: string;
}

export type ComponentsReading = ComponentNames | ErrorReading;

/**
 * Returns a reader of the components in a cell: names, with shares behind them all (`DMF/acetone 7:3`), before them all,
 * or at each (`70% DMF + 30% acetone`), and with details (`PCL (Mn 80,000)`). It searches the nearest names of at most 20
 * unknown texts, because each search is slow.
 *
 * `isOnlyCell` tells whether no other cell of the row has names.
 */
export function componentsReader(
  list: 'polymers' | 'solvents',
  references: References,
): (text: string, isOnlyCell: boolean) => ComponentsReading {
  const readings = new Map<string, ComponentsReading>();
  const suggestions = new Map<string, readonly string[]>();
  const what = list === 'polymers' ? 'polymer' : 'solvent';
  const current = references.lists[list].filter(({ sameAs, retired }) => sameAs === undefined && retired !== true);
  const byCas = Map.groupBy(current, ({ casNumber }) => casNumber);

  const ambiguous = (name: string, meanings: readonly string[], readsAs: (meaning: string) => string) => ({
    ...failed('AMBIGUOUS_NAME', `The ${what} ${describe(name)} is ambiguous; write ${meanings.join(' or ')}.`),
    choices: meanings.map((choice) => ({ choice, reads: readsAs(choice) })),
  });

  const unknown = ({ before, name, after }: Omit<UnknownName, 'kind'>) => {
    const code = list === 'polymers' ? 'UNKNOWN_POLYMER' : 'UNKNOWN_SOLVENT';
    if (!/\p{L}/u.test(name)) return failed(code, `Expected the name of a ${what}, got ${describe(name)}.`);
    if (!suggestions.has(name) && suggestions.size < MAX_SUGGESTIONS)
      suggestions.set(name, nearestNames(references, list, name));
    const near = suggestions.get(name) ?? [];
    const hint = near.length === 0 ? `see /metadata/${list}` : `nearest: ${near.map(describe).join(', ')}`;
    const choices = near.map((choice) => ({ choice, reads: before + choice + after }));
    return { ...failed(code, `Unknown ${what} ${describe(name)}; ${hint}.`), choices };
  };

  /** Reads names without details and shares. */
  const readNames = (text: string): ComponentNames | UnknownName | ErrorReading => {
    const whole = resolveName(references, list, text);
    if (whole.kind === 'found') return { kind: 'names', names: [whole.entry.name], details: [] };
    if (whole.kind === 'ambiguous' && !isJoined(whole)) return ambiguous(text, whole.meanings, (name) => name);
    const parts = text.length > MAX_LENGTH ? [text] : splitJoinedNames(text, list, references, undefined, SEPARATOR);
    if (parts === undefined) {
      const message = `The text ${describe(text)} can be split into names in more than one way; separate the names with ";".`;
      return failed('AMBIGUOUS_NAME', message);
    }
    const names = new Set<string>();
    let end = 0;
    for (const part of parts) {
      const name = part.trim();
      const start = text.indexOf(name, end);
      end = start + name.length;
      const resolution = resolveName(references, list, part);
      if (resolution.kind === 'found') {
        names.add(resolution.entry.name);
        continue;
      }
      const [before, after] = [text.slice(0, start), text.slice(end)];
      if (resolution.kind === 'unknown') return { kind: 'unknown', before, name, after };
      return ambiguous(name, resolution.meanings, (meaning) => before + meaning + after);
    }
    return { kind: 'names', names: [...names], details: [] };
  };

  /** Returns a single name with its detail; undefined if the detail can be a share or another name. */
  const nameIn = (text: string, isAlone: boolean): Component | undefined => {
    const resolution = resolveName(references, list, text);
    if (resolution.kind === 'found') return { name: resolution.entry.name };
    // After an unknown name, a known abbreviation means something else: `carbon aerogel (CA)`.
    if (resolution.kind === 'ambiguous' || resolution.part?.isFirst !== true) return undefined;
    const { names, detail, joint } = resolution.part;
    const [name, ...others] = names;
    if (name === undefined || others.length > 0 || joint === 'dash' || (joint !== 'bracket' && !DETAIL.test(detail)))
      return undefined;
    const shares = readShares(detail);
    if (shares !== undefined && (!isAlone || shares.unit === '%')) return undefined;
    const isOther = (word: string): boolean =>
      resolveName(references, list, word).kind !== 'unknown' && findEntry(references, list, word)?.name !== name;
    const hasOther = detail.split(/[^\p{L}\p{N}]+/u).some((word) => word.length > 1 && isOther(word));
    return hasOther ? undefined : { name, detail };
  };

  const componentIn = (part: string, isAlone: boolean): Component | undefined => {
    const { name = '', share, unit = '' } = shareIn(part.trim()) ?? {};
    const named = share === undefined ? undefined : nameIn(name, false);
    if (share === undefined || named === undefined) return nameIn(part.trim(), isAlone);
    return findEntry(references, 'units', unit) && { ...named, share, unit };
  };

  /** Reads names, each with its detail and its own share; undefined for another text. */
  const readParts = (text: string): ComponentsReading | undefined => {
    const componentOf = (part: string) => componentIn(part, part === text);
    const isComponent = (part: string): boolean => componentOf(part) !== undefined;
    const parts = splitJoinedNames(text, list, references, undefined, SEPARATOR, isComponent) ?? [];
    const components = parts.flatMap((part) => componentOf(part) ?? []);
    const shares = components.flatMap(({ share }) => share ?? []);
    if (components.length < parts.length) {
      const unknownPart = (parts.find((part) => !isComponent(part)) ?? '').trim();
      return shares.length === 0 ? undefined : explain(text, shareIn(unknownPart)?.name ?? unknownPart);
    }
    if (shares.length === 0) {
      const byName = new Map<string, Component>();
      for (const component of components) byName.set(component.name, { ...byName.get(component.name), ...component });
      return byName.size === 0 ? undefined : namesOf([...byName.values()]);
    }
    const [unit, ...otherUnits] = new Set(components.flatMap((component) => component.unit ?? []));
    const isWhole = Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) <= 1;
    // In a column of polymers, `PVA 8%` is a concentration.
    const isConcentration = components.length === 1 || shares.length < components.length || !isWhole;
    if (otherUnits.length > 0 || (list === 'polymers' && isConcentration)) return undefined;
    return { ...namesOf(components), shares: { values: components.map(({ share }) => share), unit } };
  };

  /** Returns the error about the name in a part of a cell, with the whole cell in its choices. */
  const explain = (text: string, part: string): ErrorReading => {
    const reading = readNames(part);
    if (reading.kind === 'names') return unknown({ before: '', name: text, after: '' });
    const error: ErrorReading = reading.kind === 'error' ? reading : unknown(reading);
    const choices = (error.choices ?? []).map(({ choice, reads }) => ({
      choice,
      reads: text.replace(part, () => reads),
    }));
    return { ...error, choices };
  };

  const read = (written: string, isOnlyCell: boolean): ComponentsReading => {
    for (const [number] of written.matchAll(CAS_NUMBER)) {
      const meanings = (byCas.get(number) ?? []).map(({ name }) => name);
      if (meanings.length > 1) return ambiguous(written, meanings, (name) => written.replace(number, () => name));
    }
    const text = written.trim().replace(CAS_NUMBER, (number) => byCas.get(number)?.[0]?.name ?? number);
    const plain = readNames(text);
    if (plain.kind !== 'unknown') return plain;
    const { names, shares } = splitShares(text);
    const named = shares && readNamed(names);
    if (shares && named && (!isOnlyCell || named.names.length === shares.values.length)) return { ...named, shares };
    const parts = readParts(text);
    if (parts?.kind === 'names') return parts;
    if (shares && named) return { ...named, shares };
    return parts ?? explain(text, names);
  };

  /** Reads names with their details, but without shares of their own. */
  const readNamed = (text: string): ComponentNames | undefined => {
    const plain = readNames(text);
    if (plain.kind === 'names') return plain;
    const detailed = plain.kind === 'unknown' ? readParts(text) : undefined;
    return detailed?.kind === 'names' && detailed.shares === undefined ? detailed : undefined;
  };

  return (text, isOnlyCell) => {
    const key = `${isOnlyCell} ${text}`;
    const reading = readings.get(key) ?? read(text, isOnlyCell);
    readings.set(key, reading);
    return reading;
  };
}

const namesOf = (components: readonly Component[]): ComponentNames => ({
  kind: 'names',
  names: components.map(({ name }) => name),
  details: components.map(({ detail }) => detail),
});
