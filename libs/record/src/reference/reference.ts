import { fold, normalize } from './fold.ts';
import { nearest } from '../validate/nearest-names.ts';
import { unitReader } from '../units/unit-text.ts';

interface Entry {
  readonly id: number;
  /** Still resolves for stored records; new submissions must not use it. */
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
  /** The name of the current entry, if this one is a legacy spelling. */
  readonly sameAs?: string | undefined;
  /** Solvents only. */
  readonly inchiKey?: string | undefined;
  /** The PubChem compound id; solvents only. */
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
  readonly ucumCode?: string | undefined;
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

export type EntryInList<L extends ListName = ListName> = {
  [N in L]: { readonly list: N; readonly entry: EntryOf<N> };
}[L];

/** A text with several meanings; it does not resolve, and the error lists the meanings. */
export interface AmbiguousEntry {
  readonly list: ListName;
  readonly text: string;
  readonly meanings: readonly string[];
}

type EntryLists = { readonly [L in ListName]: readonly EntryOf<L>[] };

export type ReferenceLists = {
  readonly revision: number;
  readonly ambiguous: readonly AmbiguousEntry[];
} & EntryLists;

export function entriesOf<L extends ListName>(lists: EntryLists, list: L): readonly EntryOf<L>[] {
  return lists[list];
}

interface NameIndex<E> {
  /** Own names, folded (units: exact). They have precedence, so that stored names always resolve. */
  readonly own: ReadonlyMap<string, E>;
  /** All spellings with their case, for units. */
  readonly exact: ReadonlyMap<string, readonly E[]>;
  readonly folded: ReadonlyMap<string, readonly E[]>;
  /** Finds units by their grammar, for texts that are no spelling of the list. */
  readonly byGrammar: ((text: string) => readonly E[]) | undefined;
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  readonly ownName: (entry: E) => string;
  readonly suggestions: readonly (readonly [spelling: string, ownName: string])[];
}

/** Reference lists with look-up indexes: immutable, built once per revision of the lists. */
export interface References {
  readonly revision: number;
  readonly lists: ReferenceLists;
  readonly indexes: { readonly [L in ListName]: NameIndex<EntryOf<L>> };
}

export type Resolution<E> =
  | { readonly kind: 'found'; readonly entry: E }
  | { readonly kind: 'ambiguous'; readonly meanings: readonly string[] }
  | { readonly kind: 'unknown' };

/** Exceeds the length of every name. Longer texts are unknown without a look-up. */
const MAX_NAME_LENGTH = 1_000;

function push<E>(map: Map<string, E[]>, key: string, entry: E): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [entry]);
  else if (!known.includes(entry)) known.push(entry);
}

/** The texts that resolve to an entry: its stored name, and all others with their member. */
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

export const OWN_NAME = {
  polymers: 'name',
  solvents: 'name',
  units: 'unit',
  morphologies: 'label',
  instabilities: 'label',
} as const satisfies Record<ListName, string>;

/** Returns the name under which records store an entry. */
export function ownName<L extends ListName>(list: L, entry: EntryOf<L>): string {
  return SPELLINGS[list].own(entry);
}

/** Returns all texts that resolve to an entry, each with its member, own name first. */
export function spellingsOf<L extends ListName>(
  list: L,
  entry: EntryOf<L>,
): (readonly [member: string, text: string])[] {
  const spellings: Spellings<EntryOf<L>> = SPELLINGS[list];
  return [[OWN_NAME[list], spellings.own(entry)] as const, ...spellings.others(entry)].flatMap(([member, text]) =>
    text === undefined || text === '' ? [] : [[member, text] as const],
  );
}

/** Returns the form in which spellings of a list are compared; units are case-sensitive. */
export function spellingKey(list: ListName, text: string): string {
  return list === 'units' ? normalize(text) : fold(text);
}

function indexList<L extends ListName>(list: L, lists: ReferenceLists): NameIndex<EntryOf<L>> {
  const own = new Map<string, EntryOf<L>>();
  const exact = new Map<string, EntryOf<L>[]>();
  const folded = new Map<string, EntryOf<L>[]>();
  const suggestions: [string, string][] = [];
  const spellings: [string, string, EntryOf<L>][] = [];
  for (const entry of entriesOf(lists, list)) {
    const name = ownName(list, entry);
    own.set(spellingKey(list, name), entry);
    for (const [, spelling] of spellingsOf(list, entry)) {
      push(exact, normalize(spelling), entry);
      push(folded, fold(spelling), entry);
      spellings.push([spelling, name, entry]);
      if (entry.retired !== true) suggestions.push([fold(spelling), name]);
    }
  }
  const ambiguous = lists.ambiguous.filter((one) => one.list === list);
  return {
    own,
    exact,
    folded,
    byGrammar: list === 'units' ? unitReader(spellings) : undefined,
    ambiguous: new Map(ambiguous.map(({ text, meanings }) => [fold(text), meanings])),
    ownName: SPELLINGS[list].own,
    suggestions,
  };
}

/**
 * Builds the look-up indexes for one revision of the reference lists, which must not change afterwards.
 * A spelling that two entries of a list share is ambiguous.
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
 * Resolves a text by name, full name, abbreviation, alias or synonym. Ignores case and the form of spaces, hyphens and
 * micro signs. Units match case-sensitively first (`m` is meter, `M` is mol/L), then in any case if that is unambiguous,
 * then by the grammar of units.
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
  const [entry, ...others] = index.folded.get(folded) ?? index.byGrammar?.(text) ?? [];
  if (entry === undefined) return { kind: 'unknown' };
  if (others.length > 0) return { kind: 'ambiguous', meanings: [entry, ...others].map(index.ownName) };
  return { kind: 'found', entry };
}

/** Returns the own names of at most three entries with the nearest spellings, nearest first. */
export function nearestNames(references: References, list: ListName, text: string): string[] {
  if (text.length > MAX_NAME_LENGTH) return [];
  return nearest(fold(text), references.indexes[list].suggestions);
}
