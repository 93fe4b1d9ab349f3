import { nearest } from './nearest.ts';

/** A polymer or a solvent; `name` is the key under which records store it. */
export interface SubstanceEntry {
  readonly id: number;
  readonly name: string;
  readonly fullName?: string | undefined;
  readonly casNumber?: string | undefined;
  readonly abbreviation?: string | undefined;
  readonly aliases: readonly string[];
  readonly kind: string;
  readonly note?: string | undefined;
  /** The name of the entry that this legacy spelling stands for. */
  readonly sameAs?: string | undefined;
}

/** Value in the canonical unit = value × factor + offset; a gauge has neither (see `needle-gauges.ts`). */
export interface UnitEntry {
  readonly id: number;
  readonly unit: string;
  readonly name: string;
  readonly dimension: string;
  readonly canonical?: string | undefined;
  readonly factor?: number | undefined;
  readonly offset?: number | undefined;
  readonly aliases: readonly string[];
}

export interface MorphologyEntry {
  readonly id: number;
  readonly category: string;
  readonly label: string;
  readonly abbreviation?: string | undefined;
  readonly definition: string;
  readonly synonyms: readonly string[];
}

export interface InstabilityEntry {
  readonly id: number;
  readonly label: string;
  readonly category: string;
  readonly definition: string;
  readonly synonyms: readonly string[];
}

interface Entries {
  polymers: SubstanceEntry;
  solvents: SubstanceEntry;
  units: UnitEntry;
  morphologies: MorphologyEntry;
  instabilities: InstabilityEntry;
}

export type ListName = keyof Entries;
export type EntryOf<L extends ListName> = Entries[L];

/** A text that means two things; it resolves to nothing, and the error names the meanings. */
export interface AmbiguousEntry {
  readonly list: ListName;
  readonly text: string;
  readonly meanings: readonly string[];
}

/** The reference lists at one dataset revision. */
export type ReferenceLists = {
  readonly revision: number;
  readonly ambiguous: readonly AmbiguousEntry[];
} & { readonly [L in ListName]: readonly EntryOf<L>[] };

interface NameIndex<E> {
  /** Own names, folded (units: exact). They go before everything else, so that what is stored always resolves. */
  readonly own: ReadonlyMap<string, E>;
  /** All spellings as written; only units tell letters by their case. */
  readonly exact: ReadonlyMap<string, readonly E[]>;
  readonly folded: ReadonlyMap<string, readonly E[]>;
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  readonly ownName: (entry: E) => string;
  /** Folded spelling and own name, for suggestions. */
  readonly suggestions: readonly (readonly [spelling: string, ownName: string])[];
}

/** Reference lists made ready for look-ups: an immutable value, built once for each revision of the lists. */
export interface References {
  readonly revision: number;
  readonly lists: ReferenceLists;
  readonly indexes: { readonly [L in ListName]: NameIndex<EntryOf<L>> };
}

export type Resolution<E> =
  | { readonly kind: 'found'; readonly entry: E }
  | { readonly kind: 'ambiguous'; readonly meanings: readonly string[] }
  | { readonly kind: 'unknown' };

/** No known name is longer than this many characters after normalization; a longer text is unknown without a look. */
const LONGEST_NAME = 1_000;

/** One spelling for each look: NFC, one kind of space, hyphen and micro sign, no space around. */
function normalize(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll('\u03BC', '\u00B5')
    .replace(/[\u2010-\u2013\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The form in which names and labels are compared: `normalize`, then lower case. */
export const fold = (text: string): string => normalize(text).toLowerCase();

function push<E>(map: Map<string, E[]>, key: string, entry: E): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [entry]);
  else if (!known.includes(entry)) known.push(entry);
}

function indexList<E>(
  entries: readonly E[],
  ownName: (entry: E) => string,
  otherNames: (entry: E) => readonly (string | undefined)[],
  ambiguous: readonly AmbiguousEntry[],
  ownKey: (text: string) => string,
): NameIndex<E> {
  const own = new Map<string, E>();
  const exact = new Map<string, E[]>();
  const folded = new Map<string, E[]>();
  const suggestions: [string, string][] = [];
  for (const entry of entries) {
    own.set(ownKey(ownName(entry)), entry);
    for (const name of [ownName(entry), ...otherNames(entry)]) {
      if (name === undefined || name === '') continue;
      push(exact, normalize(name), entry);
      push(folded, fold(name), entry);
      suggestions.push([fold(name), ownName(entry)]);
    }
  }
  return {
    own,
    exact,
    folded,
    ambiguous: new Map(ambiguous.map(({ text, meanings }) => [fold(text), meanings])),
    ownName,
    suggestions,
  };
}

/**
 * Builds the look-up for one revision of the reference lists. The lists must not be changed afterwards.
 * A spelling that two entries of a list share resolves to neither: it is ambiguous.
 */
export function indexReferences(lists: ReferenceLists): References {
  const of = (list: ListName): AmbiguousEntry[] => lists.ambiguous.filter((entry) => entry.list === list);
  const substanceNames = (s: SubstanceEntry): (string | undefined)[] => [s.fullName, s.abbreviation, ...s.aliases];
  const label = (entry: { label: string }): string => entry.label;
  return {
    revision: lists.revision,
    lists,
    indexes: {
      polymers: indexList(lists.polymers, (p) => p.name, substanceNames, of('polymers'), fold),
      solvents: indexList(lists.solvents, (s) => s.name, substanceNames, of('solvents'), fold),
      units: indexList(
        lists.units,
        (u) => u.unit,
        (u) => [u.name, ...u.aliases],
        of('units'),
        normalize,
      ),
      morphologies: indexList(
        lists.morphologies,
        label,
        (m) => [m.abbreviation, ...m.synonyms],
        of('morphologies'),
        fold,
      ),
      instabilities: indexList(lists.instabilities, label, (i) => i.synonyms, of('instabilities'), fold),
    },
  };
}

/**
 * Finds the entry that a text means, by name, full name, abbreviation, alias or synonym, whatever the case, the form
 * of spaces, hyphens and micro signs. Units are matched with their case first (`m` is meter, `M` is mol/L) and without
 * it only where that leaves one unit.
 */
export function resolveName<L extends ListName>(references: References, list: L, text: string): Resolution<EntryOf<L>> {
  if (text.length > LONGEST_NAME) return { kind: 'unknown' };
  const index: NameIndex<EntryOf<L>> = references.indexes[list];
  const written = normalize(text);
  const folded = written.toLowerCase();
  const own = index.own.get(list === 'units' ? written : folded);
  if (own !== undefined) return { kind: 'found', entry: own };
  if (list === 'units') {
    const [entry, ...others] = index.exact.get(written) ?? [];
    if (entry !== undefined && others.length === 0) return { kind: 'found', entry };
  }
  const meanings = index.ambiguous.get(folded);
  if (meanings !== undefined) return { kind: 'ambiguous', meanings };
  const [entry, ...others] = index.folded.get(folded) ?? [];
  if (entry === undefined) return { kind: 'unknown' };
  if (others.length > 0) return { kind: 'ambiguous', meanings: [entry, ...others].map(index.ownName) };
  return { kind: 'found', entry };
}

/** Own names of the entries that an unknown text may have meant, nearest first, at most three. */
export function nearestNames(references: References, list: ListName, text: string): string[] {
  if (text.length > LONGEST_NAME) return [];
  return nearest(fold(text), references.indexes[list].suggestions);
}
