import { fold, normalize } from './fold.ts';
import { type Joint, splitBracket, splitsOf } from './second-name.ts';
import { MAX_NEAREST, nearest } from '../validate/nearest-names.ts';
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
  /** Own names, except of units. They have precedence, so that stored names always resolve. */
  readonly own: ReadonlyMap<string, E>;
  /** Spellings of units with their case. Own names have precedence. */
  readonly exact: ReadonlyMap<string, readonly E[]>;
  readonly folded: ReadonlyMap<string, readonly E[]>;
  /** Finds units by their grammar, for texts that are no spelling of the list. */
  readonly byGrammar: ((text: string) => readonly E[]) | undefined;
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  readonly ownName: (entry: E) => string;
  readonly mainName: Spellings<E>['main'];
  readonly suggestions: readonly (readonly [spelling: string, ownName: string])[];
}

/** Reference lists with look-up indexes: immutable, built once per revision of the lists. */
export interface References {
  readonly revision: number;
  readonly lists: ReferenceLists;
  readonly indexes: { readonly [L in ListName]: NameIndex<EntryOf<L>> };
}

/** A part of a text that is a name, with the own names that it can mean. */
export interface NamedPart {
  readonly names: readonly string[];
  readonly isFirst: boolean;
  /** The other part, folded. */
  readonly detail: string;
  readonly joint: Joint;
}

/** With `joint`, an ambiguous text consists of two names with different meanings. */
export type Resolution<E> =
  | { readonly kind: 'found'; readonly entry: E }
  | { readonly kind: 'ambiguous'; readonly meanings: readonly string[]; readonly joint?: Joint }
  | { readonly kind: 'unknown'; readonly part?: NamedPart };

/** Returns whether a text consists of names that a comma or a dash joins. They can be components. */
export function isJoined(resolution: Resolution<unknown>): boolean {
  return resolution.kind === 'ambiguous' && resolution.joint !== undefined && resolution.joint !== 'bracket';
}

/** Exceeds the length of every name. Longer texts are unknown without a look-up. */
const MAX_NAME_LENGTH = 1_000;
/** Exceeds the length of two names, or of a name and its detail. */
const MAX_PARTS_LENGTH = 300;

function push<E>(map: Map<string, E[]>, key: string, entry: E): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [entry]);
  else if (!known.includes(entry)) known.push(entry);
}

/** The texts that resolve to an entry: its stored name, and all others with their member. */
interface Spellings<E> {
  readonly own: (entry: E) => string;
  readonly others: (entry: E) => readonly (readonly [member: string, text: string | undefined])[];
  /** Returns the own name of the current entry. Present in lists whose texts can have a second name. */
  readonly main?: (entry: E) => string;
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
  main: ({ name, sameAs }) => sameAs ?? name,
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
    if (list !== 'units') own.set(fold(name), entry);
    for (const [, spelling] of spellingsOf(list, entry)) {
      if (list === 'units') push(exact, normalize(spelling), entry);
      push(folded, fold(spelling), entry);
      spellings.push([spelling, name, entry]);
      if (entry.retired !== true) suggestions.push([fold(spelling), name]);
    }
  }
  if (list === 'units') for (const entry of entriesOf(lists, list)) exact.set(normalize(ownName(list, entry)), [entry]);
  const ambiguous = lists.ambiguous.filter((one) => one.list === list);
  return {
    own,
    exact,
    folded,
    byGrammar: list === 'units' ? unitReader(spellings) : undefined,
    ambiguous: new Map(ambiguous.map(({ text, meanings }) => [fold(text), meanings])),
    ownName: SPELLINGS[list].own,
    mainName: SPELLINGS[list].main,
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
 * Resolves a text by name, full name, abbreviation, alias or synonym. Ignores what `fold` unifies. A polymer or a solvent
 * can have a second name: in brackets, after a comma, or after a dash. Units match case-sensitively first (`m` is meter,
 * `M` is mol/L), then in any case if that is unambiguous, then by the grammar of units.
 */
export function resolveName<L extends ListName>(references: References, list: L, text: string): Resolution<EntryOf<L>> {
  if (text.length > MAX_NAME_LENGTH) return { kind: 'unknown' };
  const index: NameIndex<EntryOf<L>> = references.indexes[list];
  if (list === 'units') {
    // A superscript letter is a footnote mark, which the comparison would make a letter of the unit.
    if (/\p{Lm}/u.test(text)) return { kind: 'unknown' };
    const [entry, ...others] = index.exact.get(normalize(text)) ?? [];
    if (entry !== undefined && others.length === 0) return { kind: 'found', entry };
  }
  const key = fold(text);
  const resolution = resolveKey(index, key);
  if (resolution.kind !== 'unknown') return resolution;
  if (index.byGrammar !== undefined) return meaningOf(index, index.byGrammar(text));
  return index.mainName && key.length <= MAX_PARTS_LENGTH ? resolveParts(index, index.mainName, key) : resolution;
}

/** Returns the entry that a text resolves to; undefined for an unknown or ambiguous text. */
export function findEntry<L extends ListName>(references: References, list: L, text: string): EntryOf<L> | undefined {
  const resolution = resolveName(references, list, text);
  return resolution.kind === 'found' ? resolution.entry : undefined;
}

function resolveKey<E>(index: NameIndex<E>, key: string): Resolution<E> {
  const own = index.own.get(key);
  if (own !== undefined) return { kind: 'found', entry: own };
  const meanings = index.ambiguous.get(key);
  if (meanings !== undefined) return { kind: 'ambiguous', meanings };
  return meaningOf(index, index.folded.get(key) ?? []);
}

function meaningOf<E>(index: NameIndex<E>, [entry, ...others]: readonly E[]): Resolution<E> {
  if (entry === undefined) return { kind: 'unknown' };
  if (others.length > 0) return { kind: 'ambiguous', meanings: [entry, ...others].map(index.ownName) };
  return { kind: 'found', entry };
}

/** Resolves a key that consists of two names, or of a name and a detail. */
function resolveParts<E>(index: NameIndex<E>, mainName: (entry: E) => string, key: string): Resolution<E> {
  const meaningsOf = (name: string): readonly string[] => {
    const resolution = resolveKey(index, name);
    if (resolution.kind === 'found') return [index.ownName(resolution.entry)];
    return resolution.kind === 'ambiguous' ? resolution.meanings : [];
  };
  const mainOf = (name: string): string => {
    const entry = index.own.get(fold(name));
    return entry === undefined ? name : mainName(entry);
  };
  const common = (names: readonly string[], others: readonly string[]): string[] => {
    const shared = names.filter((name) => others.includes(name));
    return shared.length > 0 ? shared : names.map(mainOf).filter((name) => others.map(mainOf).includes(name));
  };
  // `PCL (polycaprolactone), 80 kDa`: a part can also have a second name.
  const meaningsOfPart = (part: string): readonly string[] => {
    const meanings = meaningsOf(part);
    const [split] = meanings.length > 0 ? [] : splitBracket(part);
    return split === undefined ? meanings : common(meaningsOf(split[0]), meaningsOf(split[1]));
  };
  let contradiction: Resolution<E> | undefined;
  let part: NamedPart | undefined;
  for (const [first, second, joint] of splitsOf(key)) {
    const names = meaningsOfPart(first);
    const others = joint === 'space' ? [] : meaningsOfPart(second);
    if (names.length > 0 && others.length > 0) {
      const [name = '', ...more] = common(names, others);
      const entry = more.length > 0 ? undefined : index.own.get(fold(name));
      if (entry !== undefined) return { kind: 'found', entry };
      contradiction ??= { kind: 'ambiguous', meanings: [...new Set([...names, ...others])], joint };
    } else if (names.length + others.length > 0 && joint !== 'hyphen') {
      const isFirst = names.length > 0;
      part ??= { names: [...names, ...others], isFirst, detail: isFirst ? second : first, joint };
    }
  }
  return contradiction ?? { kind: 'unknown', ...(part && { part }) };
}

/**
 * Returns the own names of at most three entries with the nearest spellings, nearest first. A name that is part of the text is
 * the nearest.
 */
export function nearestNames(references: References, list: ListName, text: string): string[] {
  if (text.length > MAX_NAME_LENGTH) return [];
  const resolution = resolveName(references, list, text);
  const named = resolution.kind === 'unknown' ? (resolution.part?.names ?? []) : [];
  const near = nearest(fold(text), references.indexes[list].suggestions);
  return [...new Set([...named, ...near])].slice(0, MAX_NEAREST);
}
