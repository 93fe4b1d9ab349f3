import type { ExperimentData } from '../catalog/catalog.ts';
import { deviceKindOf, isOfKind } from './device-kinds.ts';
import { hasDotSegment, isDoi, normalizeDoi } from '../metadata/doi.ts';
import type { Condition, TextCondition } from './filter.ts';
import { type CategoryKey, isPaperKey, type PaperKey, type TextKey } from './filter-keys.ts';
import { fold } from '../reference/fold.ts';
import { type References, resolveName } from '../reference/reference.ts';
import { entryOfValue } from '../reference/substance-names.ts';

/** The texts of a record by text key; a DOI normalized, all others as stored. */
export type RecordTerms = Readonly<Record<TextKey, readonly string[]>>;

/** Minimum characters of a text that matches the beginning of a word in a full name, an alias or a synonym. */
const SHORTEST_WORD = 4;

const present = (texts: readonly (string | undefined)[]): string[] => texts.filter((text) => text !== undefined);

export function recordTerms(data: ExperimentData): RecordTerms {
  const doi = paperTerm(data);
  return {
    doi: doi === '' ? [] : [doi],
    polymer: present((data.polymerProperty?.polymerComponents ?? []).map(({ polymerName }) => polymerName)),
    solvent: present((data.solventProperty?.solventComponents ?? []).map(({ solventName }) => solventName)),
    needleType: present([data.needleProperty?.needleType]),
    collectorType: present([data.collectorProperty?.collectorType]),
    instability: (data.processParameter?.instability ?? []).map(({ label }) => label),
    morphology: (data.fiberProperty?.fiberMorphology ?? []).map(({ label }) => label),
    fractureBehaviour: present([data.mechanicalProperty?.fractureBehaviour]),
  };
}

/** Returns the paper of a record, as its category `doi`; empty if the record names none. */
export function paperTerm({ researchMetadata: { doi = '' } = {} }: Pick<ExperimentData, 'researchMetadata'>): string {
  return hasDotSegment(doi) ? '' : doiTerm(doi);
}

/**
 * Returns the term of a DOI field: a DOI in its compared form. Any other text, such as a publisher's URL, is only trimmed,
 * because URLs are case-sensitive.
 */
export function doiTerm(text: string): string {
  const normalized = normalizeDoi(fold(text));
  return normalized === '' || isDoi(normalized) ? normalized : text.trim();
}

/** Returns whether a text condition on a key is a plain substring search in the folded term, without reference lists. */
export function searchesPlainText(key: TextKey | PaperKey): key is 'doi' | 'fractureBehaviour' | PaperKey {
  return key === 'doi' || key === 'fractureBehaviour' || isPaperKey(key);
}

/**
 * Returns a function that tells whether a term of `recordTerms` satisfies a condition.
 * Polymers, solvents and labels are resolved in the reference lists. The text must be part of the stored name, the own
 * name or the abbreviation. From four characters, it may also begin a word of a full name, an alias or a synonym.
 * A text that is a polymer or a solvent also matches its entry. The names of the `sameAs` entry match too. Other keys search
 * substrings; device categories also match their kinds, and kinds match all their spellings.
 */
export function termMatcher({ key, text }: TextCondition, references: References): (term: string) => boolean {
  if (searchesPlainText(key)) return (term) => fold(term).includes(text);
  switch (key) {
    case 'polymer':
    case 'solvent': {
      const list = `${key}s` as const;
      const resolution = resolveName(references, list, text);
      const name = resolution.kind === 'found' ? resolution.entry.name : undefined;
      return (term) => {
        const names = substanceNames(references, list, term);
        return nameMatches(text, names) || (name !== undefined && names.own.includes(name));
      };
    }
    case 'morphology':
      return (term) => nameMatches(text, labelNames(references, 'morphologies', term));
    case 'instability':
      return (term) => nameMatches(text, labelNames(references, 'instabilities', term));
    case 'collectorType':
    case 'needleType': {
      const kind = deviceKindOf(key, text);
      return (term) => fold(term).includes(text) || (kind !== undefined && isOfKind(kind, term));
    }
  }
}

/** Splits a text of a polymer or a solvent at `&`, which joins names that must all occur, unless the whole text is a name. */
export function jointNames(key: CategoryKey, text: string, references: References): readonly string[] {
  return splitAt('&', key, text, references);
}

/** Splits the text of a condition on a polymer or a solvent at `|` into alternatives, and these into joint names. */
export function alternativesOf({ key, text }: TextCondition, references: References): readonly (readonly string[])[] {
  return splitAt('|', key, text, references).map((alternative) => jointNames(key, alternative, references));
}

/** Returns whether a record must have several names to satisfy a condition. Further names then narrow the result. */
export function joinsNames(condition: Condition, references: References): boolean {
  const alternatives =
    condition.kind === 'text'
      ? alternativesOf(condition, references)
      : condition.kind === 'values'
        ? condition.values.map((value) => jointNames(condition.key, value, references))
        : [];
  const [names = [], ...others] = alternatives;
  return names.length > 1 && others.length === 0;
}

function splitAt(sign: '&' | '|', key: CategoryKey, text: string, references: References): readonly string[] {
  if ((key !== 'polymer' && key !== 'solvent') || !text.includes(sign)) return [text];
  if (resolveName(references, `${key}s` as const, text).kind === 'found') return [text];
  const parts = text.split(sign).map((part) => part.trim());
  return parts.includes('') ? [text] : parts;
}

/** Returns a function that tells whether the terms of a record satisfy a condition; see `termMatcher`. */
export function termsMatcher(condition: TextCondition, references: References): (terms: readonly string[]) => boolean {
  const alternatives = alternativesOf(condition, references).map((names) =>
    names.map((text) => termMatcher({ ...condition, text }, references)),
  );
  return (terms) => alternatives.some((matchers) => matchers.every((matches) => terms.some(matches)));
}

interface SearchNames {
  /** The own names of the entry of a term and of its `sameAs` entry. */
  readonly own: readonly string[];
  readonly parts: readonly string[];
  readonly wordStarts: readonly string[];
}

function nameMatches(text: string, { parts, wordStarts }: SearchNames): boolean {
  if (parts.some((part) => part.includes(text))) return true;
  return [...text].length >= SHORTEST_WORD && wordStarts.some((name) => beginsWord(name, text));
}

const isWordCharacter = (character: string): boolean => /^[\p{L}\p{N}]$/u.test(character);

/** Returns whether a text occurs in a name at the beginning of a word (letters and digits). */
function beginsWord(name: string, text: string): boolean {
  for (let at = name.indexOf(text); at >= 0; at = name.indexOf(text, at + 1)) {
    const before = [...name.slice(Math.max(0, at - 2), at)].at(-1) ?? ' ';
    const [first = ' '] = text;
    if (!(isWordCharacter(before) && isWordCharacter(first))) return true;
  }
  return false;
}

/** Cache per revision of the lists: an index needs the same few hundred names for every filter. */
const prepared = new WeakMap<References, Map<string, SearchNames>>();

function prepare(references: References, list: string, term: string, make: () => SearchNames | undefined): SearchNames {
  const known = prepared.get(references) ?? new Map<string, SearchNames>();
  prepared.set(references, known);
  const key = `${list} ${term}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  if (made === undefined) return { own: [], parts: [fold(term)], wordStarts: [] };
  known.set(key, made);
  return made;
}

function substanceNames(references: References, list: 'polymers' | 'solvents', term: string): SearchNames {
  return prepare(references, list, term, () => {
    const resolution = resolveName(references, list, term);
    if (resolution.kind !== 'found') return undefined;
    const { entry } = resolution;
    const target = entryOfValue(references, list === 'polymers' ? 'polymer' : 'solvent', term) ?? entry;
    const entries = target === entry ? [entry] : [entry, target];
    return {
      own: entries.map(({ name }) => name),
      parts: [term, ...present(entries.flatMap(({ name, abbreviation }) => [name, abbreviation]))].map(fold),
      wordStarts: present(entries.flatMap(({ fullName, aliases }) => [fullName, ...aliases])).map(fold),
    };
  });
}

function labelNames(references: References, list: 'morphologies' | 'instabilities', term: string): SearchNames {
  return prepare(references, list, term, () => {
    const resolution = resolveName(references, list, term);
    if (resolution.kind !== 'found') return undefined;
    const { label, synonyms } = resolution.entry;
    return { own: [], parts: [fold(term), fold(label)], wordStarts: synonyms.map(fold) };
  });
}
