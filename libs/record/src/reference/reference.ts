import { nearest } from '../validate/nearest-names.ts';

interface Entry {
  readonly id: number;
  /** Kept for the records that hold it; what is newly submitted must not use it. */
  readonly retired?: boolean | undefined;
}

/** A polymer or a solvent; `name` is the key under which records store it. */
export interface SubstanceEntry extends Entry {
  readonly name: string;
  readonly fullName?: string | undefined;
  readonly casNumber?: string | undefined;
  readonly abbreviation?: string | undefined;
  readonly aliases: readonly string[];
  readonly kind: string;
  readonly note?: string | undefined;
  /** The name of the entry that this legacy spelling stands for. */
  readonly sameAs?: string | undefined;
  /** Of a solvent. */
  readonly inchiKey?: string | undefined;
  /** Of a solvent: its compound in PubChem. */
  readonly pubchemCid?: number | undefined;
}

/** Value in the canonical unit = value × factor + offset; a gauge has neither (see `needle-gauges.ts`). */
export interface UnitEntry extends Entry {
  readonly unit: string;
  readonly name: string;
  readonly dimension: string;
  readonly canonical?: string | undefined;
  readonly factor?: number | undefined;
  readonly offset?: number | undefined;
  readonly aliases: readonly string[];
  /** The unit in the Unified Code for Units of Measure. */
  readonly ucumCode?: string | undefined;
  /** The unit in the QUDT ontology. */
  readonly qudtUri?: string | undefined;
}

export interface MorphologyEntry extends Entry {
  readonly category: string;
  readonly label: string;
  readonly abbreviation?: string | undefined;
  readonly definition: string;
  readonly synonyms: readonly string[];
}

export interface InstabilityEntry extends Entry {
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

/** An entry with the list that it stands in. */
export type EntryInList<L extends ListName = ListName> = {
  [N in L]: { readonly list: N; readonly entry: EntryOf<N> };
}[L];

/** A text that means two things; it resolves to nothing, and the error names the meanings. */
export interface AmbiguousEntry {
  readonly list: ListName;
  readonly text: string;
  readonly meanings: readonly string[];
}

type EntryLists = { readonly [L in ListName]: readonly EntryOf<L>[] };

/** The reference lists at one dataset revision. */
export type ReferenceLists = {
  readonly revision: number;
  readonly ambiguous: readonly AmbiguousEntry[];
} & EntryLists;

/** The entries of one list. */
export function entriesOf<L extends ListName>(lists: EntryLists, list: L): readonly EntryOf<L>[] {
  return lists[list];
}

interface NameIndex<E> {
  /** Own names, folded (units: exact). They go before everything else, so that what is stored always resolves. */
  readonly own: ReadonlyMap<string, E>;
  /** All spellings as written; only units are case-sensitive. */
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
const MAX_NAME_LENGTH = 1_000;

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

/** The texts by which an entry is found: the one under which records store it, and all others by their member. */
interface Spellings<E> {
  readonly own: (entry: E) => string;
  readonly others: (entry: E) => readonly (readonly [member: string, text: string | undefined])[];
}

const items = (member: string, texts: readonly string[]) =>
  texts.map((text, index) => [`${member}[${index}]`, text] as const);

const substanceSpellings: Spellings<SubstanceEntry> = {
  own: ({ name }) => name,
  others: ({ fullName, abbreviation, aliases }) => [
    ['fullName', fullName],
    ['abbreviation', abbreviation],
    ...items('aliases', aliases),
  ],
};

const SPELLINGS: { readonly [L in ListName]: Spellings<EntryOf<L>> } = {
  polymers: substanceSpellings,
  solvents: substanceSpellings,
  units: { own: ({ unit }) => unit, others: ({ name, aliases }) => [['name', name], ...items('aliases', aliases)] },
  morphologies: {
    own: ({ label }) => label,
    others: ({ abbreviation, synonyms }) => [['abbreviation', abbreviation], ...items('synonyms', synonyms)],
  },
  instabilities: { own: ({ label }) => label, others: ({ synonyms }) => items('synonyms', synonyms) },
};

/** The member that holds the text under which records store an entry. */
export const OWN_NAME = {
  polymers: 'name',
  solvents: 'name',
  units: 'unit',
  morphologies: 'label',
  instabilities: 'label',
} as const satisfies Record<ListName, string>;

/** The text under which records store an entry. */
export function ownName<L extends ListName>(list: L, entry: EntryOf<L>): string {
  return SPELLINGS[list].own(entry);
}

/** All texts by which an entry is found, its own name first, each with the member that holds it. */
export function spellingsOf<L extends ListName>(
  list: L,
  entry: EntryOf<L>,
): (readonly [member: string, text: string])[] {
  const spellings: Spellings<EntryOf<L>> = SPELLINGS[list];
  return [[OWN_NAME[list], spellings.own(entry)] as const, ...spellings.others(entry)].flatMap(([member, text]) =>
    text === undefined || text === '' ? [] : [[member, text] as const],
  );
}

/** The form in which two spellings of a list are the same one: units are case-sensitive. */
export function spellingKey(list: ListName, text: string): string {
  return list === 'units' ? normalize(text) : fold(text);
}

function indexList<L extends ListName>(list: L, lists: ReferenceLists): NameIndex<EntryOf<L>> {
  const own = new Map<string, EntryOf<L>>();
  const exact = new Map<string, EntryOf<L>[]>();
  const folded = new Map<string, EntryOf<L>[]>();
  const suggestions: [string, string][] = [];
  for (const entry of entriesOf(lists, list)) {
    const name = ownName(list, entry);
    own.set(spellingKey(list, name), entry);
    for (const [, spelling] of spellingsOf(list, entry)) {
      push(exact, normalize(spelling), entry);
      push(folded, fold(spelling), entry);
      if (entry.retired !== true) suggestions.push([fold(spelling), name]);
    }
  }
  const ambiguous = lists.ambiguous.filter((one) => one.list === list);
  return {
    own,
    exact,
    folded,
    ambiguous: new Map(ambiguous.map(({ text, meanings }) => [fold(text), meanings])),
    ownName: SPELLINGS[list].own,
    suggestions,
  };
}

/**
 * Builds the look-up for one revision of the reference lists. The lists must not be changed afterwards.
 * A spelling that two entries of a list share resolves to neither: it is ambiguous.
 */
export function indexReferences(lists: ReferenceLists): References {
  return {
    revision: lists.revision,
    lists,
    indexes: {
      polymers: indexList('polymers', lists),
      solvents: indexList('solvents', lists),
      units: indexList('units', lists),
      morphologies: indexList('morphologies', lists),
      instabilities: indexList('instabilities', lists),
    },
  };
}

/**
 * Finds the entry that a text means, by name, full name, abbreviation, alias or synonym, whatever the case, the form
 * of spaces, hyphens and micro signs. Units are matched with their case first (`m` is meter, `M` is mol/L) and without
 * it only where that leaves one unit.
 */
export function resolveName<L extends ListName>(references: References, list: L, text: string): Resolution<EntryOf<L>> {
  if (text.length > MAX_NAME_LENGTH) return { kind: 'unknown' };
  const index: NameIndex<EntryOf<L>> = references.indexes[list];
  const written = normalize(text);
  const folded = written.toLowerCase();
  const own = index.own.get(spellingKey(list, text));
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
  if (text.length > MAX_NAME_LENGTH) return [];
  return nearest(fold(text), references.indexes[list].suggestions);
}
