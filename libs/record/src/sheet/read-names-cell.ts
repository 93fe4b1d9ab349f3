import { isJoined, nearestNames, type References, resolveName } from '../reference/reference.ts';
import { describe, MAX_SUGGESTIONS } from '../validate/problems.ts';
import { numberForm, scanNumber } from './number-text.ts';
import type { CellReading } from './read-number-cell.ts';
import { splitJoinedNames } from './split-joined-names.ts';

/** A longer text counts as one name. */
const MAX_LENGTH = 200;
const CAS_NUMBER = /\b\d{2,7}-\d\d-\d\b/g;
const MAX_SHARE_WORDS = 8;
const SEPARATOR = / ?(?:[/:+&,;、–—]|-|(?<= )and(?= )) ?/g;
const LABEL_SEPARATOR = / ?(?:[/+&,;]|(?<= )and(?= )) ?/g;
export const RATIO_UNIT =
  /[ ,;]*\(? ?(?<unit>(?:v|w|wt|vol|m|mass|weight)\.? ?[/:] ?(?:v|w|wt|vol|m|mass|weight)\.?|by (?:weight|mass|volume)|vol\.? ?%|wt\.? ?%|%) ?\)?$/i;
/** `v/v 7:3` */
const UNIT_BEFORE = /^(?<unit>[vwm]\.? ?[/:] ?[vwm]\.?)[ ,:=]+(?<numbers>\d.*)$/i;
const WORDS_OF_UNIT: Readonly<Record<string, string>> = { 'by weight': 'w/w', 'by mass': 'w/w', 'by volume': 'v/v' };

/** The beginning of a detail outside of brackets: a molar mass, a K value, a ratio, or a number of at least four digits. */
const DETAIL = /^(?:m[nwv]\b|k[ -]?\d|\d+ ?[:/] ?\d+(?: ?\(|$)|\d{4}|\d[\d., -]*(?:k?da|k?g\/mol)\b)/;

export interface Shares {
  /** Undefined for a component without a share. */
  readonly values: readonly (number | undefined)[];
  readonly unit: string | undefined;
}

/** Reads `3:1`, `70/30 v/v`, `(3:1)`: numbers and the unit that the text states. A share alone is also accepted. */
export function readShares(text: string): Shares | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const bare = text.replace(/^\((?<inside>.*)\)$/s, '$<inside>').trim();
  const plain = bare.replace(UNIT_BEFORE, '$<numbers> $<unit>');
  const unit = /\d ?\(? ?$/.test(plain) ? undefined : RATIO_UNIT.exec(plain);
  const numbers = unit ? plain.slice(0, unit.index) : plain;
  const values: number[] = [];
  const written = unit?.groups?.['unit'];
  let stated = written && (WORDS_OF_UNIT[written.toLowerCase()] ?? written);
  for (const part of numbers
    .trim()
    .replace(/^\((?<inside>.*)\)$/s, '$<inside>')
    .split(/[:/–-]/)) {
    const share = part.trim().replace(/ ?%$/, '');
    if (share !== part.trim()) stated ??= '%';
    const token = scanNumber(share, 0);
    const form = token && numberForm(token.raw);
    if (token === undefined || form?.kind !== 'one' || token.end !== share.length) return undefined;
    values.push(form.value);
  }
  return { values, unit: stated };
}

/** Separates names from the shares behind them; `shares` is absent without any. */
export function splitShares(text: string): { names: string; shares?: Shares } {
  const trimmed = text.trim();
  const opening = trimmed.endsWith(')') ? trimmed.lastIndexOf('(') : -1;
  // `DMF/acetone 70/30 (v/v)`: the bracket contains the unit alone.
  const isUnit = opening >= 0 && RATIO_UNIT.exec(trimmed.slice(opening))?.index === 0;
  if (opening > 0 && !isUnit) {
    const shares = readShares(trimmed.slice(opening));
    if (shares !== undefined && shares.values.length > 1) return { names: trimmed.slice(0, opening).trim(), shares };
  }
  // Shares with spaces have several words: `3 : 1`.
  const words = trimmed.split(' ');
  for (let at = words.length - 1; at > 0 && at >= words.length - MAX_SHARE_WORDS; at--) {
    const rest = words.slice(at).join(' ');
    if (!/^\d/.test(rest)) continue;
    const shares = readShares(rest);
    const before = words.slice(0, at).join(' ');
    if (shares !== undefined && shares.values.length > 1 && !/[:/+&,;-]$/.test(before)) {
      return { names: before.replace(/ ?[,:=]$/, ''), shares };
    }
  }
  return { names: trimmed };
}

export type NamesReading =
  | {
      readonly kind: 'names';
      readonly names: readonly string[];
      /** The detail of each name, in lower case; empty without any. */
      readonly details: readonly (string | undefined)[];
    }
  | Extract<CellReading, { kind: 'error' }>;

export interface NamesReader {
  /** Reads the names in a text. With `hasDetails`, each name can have a detail. An error has no suggestions. */
  readonly read: (text: string, hasDetails?: boolean) => NamesReading;
  /** Reads the names in a text. An error has the nearest names, whose search is slow. */
  readonly explain: (text: string) => NamesReading;
  /** Returns a single name with its detail; undefined if the detail can be a share or another name. */
  readonly nameIn: (text: string, isAlone: boolean) => { readonly name: string; readonly detail?: string } | undefined;
}

/** Reads names of a reference list. Suggests names for at most 20 unknown texts, because each search is slow. */
export function namesReader(list: 'polymers' | 'solvents', references: References): NamesReader {
  const readings = new Map<string, NamesReading>();
  const suggestions = new Map<string, readonly string[]>();
  const what = list === 'polymers' ? 'polymer' : 'solvent';
  const nearest = (name: string, suggests: boolean): readonly string[] => {
    if (suggests && !suggestions.has(name) && suggestions.size < MAX_SUGGESTIONS)
      suggestions.set(name, nearestNames(references, list, name));
    return suggestions.get(name) ?? [];
  };
  /** @param readsAs returns the text of the cell with another name in the place of `name` */
  const unknown = (name: string, suggests: boolean, readsAs: (other: string) => string): NamesReading => {
    const code = list === 'polymers' ? 'UNKNOWN_POLYMER' : 'UNKNOWN_SOLVENT';
    if (!/\p{L}/u.test(name)) {
      return { kind: 'error', code, message: `Expected the name of a ${what}, got ${describe(name)}.`, choices: [] };
    }
    const near = nearest(name, suggests);
    const hint = near.length === 0 ? `see /metadata/${list}` : `nearest: ${near.map(describe).join(', ')}`;
    return {
      kind: 'error',
      code,
      message: `Unknown ${what} ${describe(name)}; ${hint}.`,
      choices: near.map((one) => ({ choice: one, reads: readsAs(one) })),
    };
  };
  const ambiguous = (
    name: string,
    meanings: readonly string[],
    readsAs = (meaning: string): string => meaning,
  ): NamesReading => ({
    kind: 'error',
    code: 'AMBIGUOUS_NAME',
    message: `The ${what} ${describe(name)} is ambiguous; write ${meanings.join(' or ')}.`,
    choices: meanings.map((one) => ({ choice: one, reads: readsAs(one) })),
  });
  const byCas = new Map<string, string[]>();
  for (const { casNumber, name, sameAs, retired } of references.lists[list]) {
    if (casNumber === undefined || sameAs !== undefined || retired === true) continue;
    byCas.set(casNumber, [...(byCas.get(casNumber) ?? []), name]);
  }
  const nameIn: NamesReader['nameIn'] = (text, isAlone) => {
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
    const isOther = (word: string): boolean => {
      const meaning = resolveName(references, list, word);
      return meaning.kind === 'found' ? meaning.entry.name !== name : meaning.kind === 'ambiguous';
    };
    const hasOther = detail.split(/[^\p{L}\p{N}]+/u).some((word) => word.length > 1 && isOther(word));
    return hasOther ? undefined : { name, detail };
  };
  const readAs = (written: string, hasDetails: boolean, suggests: boolean): NamesReading => {
    for (const [number] of written.matchAll(CAS_NUMBER)) {
      const meanings = byCas.get(number) ?? [];
      if (meanings.length > 1) return ambiguous(written, meanings, (one) => written.replace(number, () => one));
    }
    const text = written.replace(CAS_NUMBER, (number) => byCas.get(number)?.[0] ?? number);
    const whole = resolveName(references, list, text);
    if (whole.kind === 'found') return { kind: 'names', names: [whole.entry.name], details: [] };
    if (whole.kind === 'ambiguous' && !isJoined(whole)) return ambiguous(text, whole.meanings);
    const isNamed = hasDetails ? (name: string) => nameIn(name, name === text) !== undefined : undefined;
    const parts =
      text.length > MAX_LENGTH ? [text] : splitJoinedNames(text, list, references, undefined, SEPARATOR, isNamed);
    if (parts === undefined) {
      return {
        kind: 'error',
        code: 'AMBIGUOUS_NAME',
        message: `The text ${describe(text)} can be split into names in more than one way; separate the names with ";".`,
      };
    }
    const details = new Map<string, string | undefined>();
    let end = 0;
    for (const part of parts) {
      const name = part.trim();
      const start = text.indexOf(name, end);
      end = start + name.length;
      const [before, after] = [text.slice(0, start), text.slice(end)];
      const readsAs = (other: string): string => before + other + after;
      const resolution = resolveName(references, list, part);
      if (resolution.kind === 'ambiguous') return ambiguous(name, resolution.meanings, readsAs);
      const known = hasDetails ? nameIn(part, part === text) : undefined;
      if (resolution.kind === 'found') details.set(resolution.entry.name, details.get(resolution.entry.name));
      else if (known === undefined) return unknown(name, suggests, readsAs);
      else details.set(known.name, known.detail ?? details.get(known.name));
    }
    return { kind: 'names', names: [...details.keys()], details: hasDetails ? [...details.values()] : [] };
  };
  const cached = (text: string, hasDetails: boolean, suggests: boolean): NamesReading => {
    const key = JSON.stringify([text, hasDetails, suggests]);
    const reading = readings.get(key) ?? readAs(text, hasDetails, suggests);
    readings.set(key, reading);
    return reading;
  };
  return {
    nameIn,
    read: (text, hasDetails = false) => cached(text, hasDetails, false),
    explain: (text) => cached(text, false, true),
  };
}

/** Returns the labels in a cell as written; the whole text is one label if the list has it. */
export function labelsIn(
  text: string,
  list: 'morphologies' | 'instabilities',
  references: References,
): readonly string[] {
  if (text.length > MAX_LENGTH || resolveName(references, list, text).kind !== 'unknown') return [text];
  const parts = splitJoinedNames(text, list, references, undefined, LABEL_SEPARATOR) ?? [text];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
