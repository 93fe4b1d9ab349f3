import { isCasNumber } from './cas-number.ts';
import { nearest } from './nearest.ts';
import { describe, type Problem, type ProblemCode } from './problems.ts';
import { entriesOf, fold, OWN_NAME, ownName, resolveName, spellingKey, spellingsOf } from './reference.ts';
import type {
  EntryOf,
  InstabilityEntry,
  ListedEntry,
  ListName,
  MorphologyEntry,
  References,
  SubstanceEntry,
  UnitEntry,
} from './reference.ts';

const LONGEST_NAME = 200;
const LONGEST_DEFINITION = 2_000;
const MOST_SPELLINGS = 100;

const KINDS = {
  polymers: ['polymer', 'biopolymer', 'copolymer', 'additive', 'drug', 'particle', 'unknown'],
  solvents: ['solvent', 'salt', 'mixture', 'unknown'],
} as const;

/** What checking an entry needs, and where it leaves what it finds. */
interface Check {
  readonly references: References;
  readonly problems: Problem[];
  /** Own names that the entry had before: they stay spellings of it. */
  readonly formerNames: readonly string[];
}

/**
 * Checks an entry that is new (id 0) or takes the place of the one with its id, and brings it into its stored form: texts
 * trimmed, former own names among its other spellings, names of other entries as the lists spell them. Reports every
 * problem. Members that records were converted or grouped by never change: dimension, canonical, factor and offset.
 */
export function checkEntry(
  sent: ListedEntry,
  references: References,
  formerNames: readonly string[],
): { checked: ListedEntry; problems: Problem[] } {
  const check: Check = { references, problems: [], formerNames };
  const checked = checkMembers(check, sent);
  checkSpellings(check, checked.list, checked.entry);
  return { checked, problems: check.problems };
}

function checkMembers(check: Check, { list, entry }: ListedEntry): ListedEntry {
  switch (list) {
    case 'polymers':
    case 'solvents':
      return { list, entry: checkSubstance(check, list, entry) };
    case 'units':
      return { list, entry: checkUnit(check, entry) };
    case 'morphologies':
      return { list, entry: checkMorphology(check, entry) };
    case 'instabilities':
      return { list, entry: checkInstability(check, entry) };
  }
}

function checkSubstance(check: Check, list: 'polymers' | 'solvents', sent: SubstanceEntry): SubstanceEntry {
  const { references, problems } = check;
  const held = heldEntry(references, list, sent.id);
  const name = checkText(check, 'name', sent.name, LONGEST_NAME) ?? missing(check, 'name');
  if (name.includes('-') && name !== held?.name) {
    const message = `${describe(name)} holds a hyphen, which joins names in flattened records; write it with _ instead.`;
    problems.push({ path: 'name', code: 'INVALID_FORMAT', message });
  }
  const casNumber = checkText(check, 'casNumber', sent.casNumber, LONGEST_NAME);
  if (casNumber !== undefined && !isCasNumber(casNumber)) {
    const message = `${describe(casNumber)} is no CAS number, such as 9002-89-5, with the right check digit.`;
    problems.push({ path: 'casNumber', code: 'INVALID_FORMAT', message });
  }
  const kinds: readonly string[] = KINDS[list];
  const kind = checkText(check, 'kind', sent.kind, LONGEST_NAME) ?? 'unknown';
  if (!kinds.includes(kind))
    report(check, 'kind', 'INVALID_FORMAT', `${describe(kind)} is none of ${kinds.join(', ')}.`);
  return {
    id: sent.id,
    name,
    fullName: checkText(check, 'fullName', sent.fullName, LONGEST_NAME),
    casNumber,
    abbreviation: checkText(check, 'abbreviation', sent.abbreviation, LONGEST_NAME),
    aliases: checkTexts(check, list, 'aliases', sent.aliases, [name, sent.fullName, sent.abbreviation]),
    kind,
    note: held?.note,
    sameAs: checkSameAs(check, list, sent, held),
    retired: sent.retired ?? false,
  };
}

function checkSameAs(
  check: Check,
  list: 'polymers' | 'solvents',
  sent: SubstanceEntry,
  held: SubstanceEntry | undefined,
): string | undefined {
  const { references } = check;
  const text = checkText(check, 'sameAs', sent.sameAs, LONGEST_NAME);
  if (text === undefined) return undefined;
  const resolution = resolveName(references, list, text);
  if (resolution.kind !== 'found') {
    const why = resolution.kind === 'ambiguous' ? `means ${resolution.meanings.join(' or ')}` : 'is no entry';
    report(
      check,
      'sameAs',
      'INVALID_FORMAT',
      `${describe(text)} ${why}; send the name of an entry in /metadata/${list}.`,
    );
    return text;
  }
  const { entry: target } = resolution;
  if (target.id === sent.id || fold(text) === fold(sent.name)) {
    report(
      check,
      'sameAs',
      'INVALID_FORMAT',
      'An entry cannot stand for itself; leave sameAs out or name another one.',
    );
  } else if (target.sameAs !== undefined) {
    const message = `${describe(target.name)} stands for ${describe(target.sameAs)} itself; send that name.`;
    report(check, 'sameAs', 'INVALID_FORMAT', message);
  }
  const follower = held && references.lists[list].find(({ sameAs }) => sameAs === held.name);
  if (follower) {
    const message = `${describe(follower.name)} stands for this entry, which then cannot stand for another one.`;
    report(check, 'sameAs', 'INVALID_FORMAT', message);
  }
  return target.name;
}

function checkUnit(check: Check, sent: UnitEntry): UnitEntry {
  const { references } = check;
  const held = heldEntry(references, 'units', sent.id);
  const unit = checkText(check, 'unit', sent.unit, LONGEST_NAME) ?? missing(check, 'unit');
  const name = checkText(check, 'name', sent.name, LONGEST_NAME) ?? missing(check, 'name');
  const aliases = checkTexts(check, 'units', 'aliases', sent.aliases, [unit, name]);
  const entry = { id: sent.id, unit, name, aliases, retired: sent.retired ?? false };
  if (held) {
    const { dimension, canonical, factor, offset } = held;
    for (const member of ['dimension', 'canonical', 'factor', 'offset'] as const) {
      if (sent[member] === held[member]) continue;
      const fixed = held[member] === undefined ? 'absent' : describe(held[member]);
      const got = sent[member] === undefined ? 'nothing' : describe(sent[member]);
      const message = `${member} is ${fixed} and never changes, because values were converted with it; got ${got}.`;
      report(check, member, 'NOT_CHANGEABLE', message);
    }
    if (canonical === held.unit && unit !== held.unit) {
      const message = `Units of ${dimension} are converted to ${describe(canonical)}, which keeps its name.`;
      report(check, 'unit', 'NOT_CHANGEABLE', message);
    }
    return { ...entry, dimension, canonical, factor, offset };
  }
  const dimension = checkText(check, 'dimension', sent.dimension, LONGEST_NAME) ?? missing(check, 'dimension');
  const known = [...new Set(references.lists.units.map((one) => one.dimension))];
  const canonical = references.lists.units.find((one) => one.dimension === dimension)?.canonical;
  if (dimension !== '' && !known.includes(dimension)) {
    report(
      check,
      'dimension',
      'INVALID_FORMAT',
      `${describe(dimension)} is no known dimension; ${hint(dimension, known)}.`,
    );
  } else if (dimension !== '' && canonical === undefined) {
    report(check, 'dimension', 'INVALID_FORMAT', `Units of ${dimension} are a table of their own; none can be added.`);
  } else if (sent.canonical !== undefined && sent.canonical !== canonical) {
    const message = `Units of ${dimension} are converted to ${describe(canonical)}, not to ${describe(sent.canonical)}.`;
    report(check, 'canonical', 'INVALID_FORMAT', message);
  }
  const { factor, offset = 0 } = sent;
  if (factor === undefined) {
    report(
      check,
      'factor',
      'MISSING_VALUE',
      `A factor is needed: value in ${canonical ?? 'the canonical unit'} = value × factor + offset.`,
    );
  } else if (!Number.isFinite(factor) || factor <= 0) {
    report(check, 'factor', 'INVALID_FORMAT', `A factor is a finite number above 0, not ${factor}.`);
  }
  if (!Number.isFinite(offset))
    report(check, 'offset', 'INVALID_FORMAT', `An offset is a finite number, not ${offset}.`);
  return { ...entry, dimension, canonical, factor, offset };
}

function checkMorphology(check: Check, sent: MorphologyEntry): MorphologyEntry {
  const label = checkText(check, 'label', sent.label, LONGEST_NAME) ?? missing(check, 'label');
  return {
    id: sent.id,
    category: checkCategory(check, 'morphologies', sent.category),
    label,
    abbreviation: checkText(check, 'abbreviation', sent.abbreviation, LONGEST_NAME),
    definition: checkText(check, 'definition', sent.definition, LONGEST_DEFINITION) ?? missing(check, 'definition'),
    synonyms: checkTexts(check, 'morphologies', 'synonyms', sent.synonyms, [label, sent.abbreviation]),
    retired: sent.retired ?? false,
  };
}

function checkInstability(check: Check, sent: InstabilityEntry): InstabilityEntry {
  const label = checkText(check, 'label', sent.label, LONGEST_NAME) ?? missing(check, 'label');
  return {
    id: sent.id,
    label,
    category: checkCategory(check, 'instabilities', sent.category),
    definition: checkText(check, 'definition', sent.definition, LONGEST_DEFINITION) ?? missing(check, 'definition'),
    synonyms: checkTexts(check, 'instabilities', 'synonyms', sent.synonyms, [label]),
    retired: sent.retired ?? false,
  };
}

function checkCategory(check: Check, list: 'morphologies' | 'instabilities', sent: string): string {
  const text = checkText(check, 'category', sent, LONGEST_NAME) ?? missing(check, 'category');
  const known = [...new Set(check.references.lists[list].map(({ category }) => category))];
  const category = known.find((one) => fold(one) === fold(text));
  if (text !== '' && category === undefined) {
    report(check, 'category', 'INVALID_FORMAT', `${describe(text)} is no known category; known: ${known.join(', ')}.`);
  }
  return category ?? text;
}

/** Every spelling that the entry had not had before must be free: a text means one entry of a list, or none. */
function checkSpellings<L extends ListName>(check: Check, list: L, entry: EntryOf<L>): void {
  const { references } = check;
  const owners = new Map<string, string>();
  const had = new Set<string>();
  for (const one of entriesOf(references.lists, list)) {
    for (const [, text] of spellingsOf(list, one)) {
      if (one.id === entry.id) had.add(spellingKey(list, text));
      else owners.set(spellingKey(list, text), ownName(list, one));
    }
  }
  const name = describe(ownName(list, entry));
  for (const [path, text] of spellingsOf(list, entry)) {
    const key = spellingKey(list, text);
    // An entry named like an ambiguous text would decide what it means.
    const meanings = references.indexes[list].ambiguous.get(fold(text));
    const owner = owners.get(key);
    if (owner !== undefined && (!had.has(key) || path === OWN_NAME[list])) {
      report(
        check,
        path,
        'NAME_TAKEN',
        `${describe(text)} would mean both ${name} and ${describe(owner)}, which has it.`,
      );
    } else if (meanings !== undefined && !had.has(key)) {
      report(check, path, 'AMBIGUOUS_NAME', `${describe(text)} means ${meanings.join(' or ')} and must stay open.`);
    }
  }
}

/** A text without space around it; undefined when there is none. */
function checkText(check: Check, path: string, sent: string | undefined, maxLength: number): string | undefined {
  const text = sent?.trim() ?? '';
  const length = [...text].length;
  if (length > maxLength) {
    report(check, path, 'TOO_LONG', `At most ${maxLength} characters are allowed here, got ${length}.`);
  }
  if (!text.isWellFormed() || /[\p{Cc}\uFFFE\uFFFF]/u.test(text)) {
    report(check, path, 'INVALID_TEXT', `${describe(text)} holds a control character or half of a character.`);
  }
  return text === '' ? undefined : text;
}

/** The other spellings as sent, once each, and the former names that would be lost. */
function checkTexts(
  check: Check,
  list: ListName,
  member: string,
  sent: readonly string[],
  others: readonly (string | undefined)[],
): string[] {
  if (sent.length > MOST_SPELLINGS) {
    report(check, member, 'TOO_MANY_ITEMS', `At most ${MOST_SPELLINGS} are allowed here, got ${sent.length}.`);
  }
  const texts = sent.slice(0, MOST_SPELLINGS).map((text, index) => {
    const path = `${member}[${index}]`;
    return checkText(check, path, text, LONGEST_NAME) ?? missing(check, path);
  });
  const keys = new Set([...others.flatMap((text) => text ?? []), ...texts].map((text) => spellingKey(list, text)));
  const lost = check.formerNames.filter((name) => !keys.has(spellingKey(list, name)));
  return [...new Set([...texts, ...lost])];
}

function heldEntry<L extends ListName>(references: References, list: L, id: number): EntryOf<L> | undefined {
  return entriesOf(references.lists, list).find((entry) => entry.id === id);
}

function hint(text: string, known: readonly string[]): string {
  const near = nearest(
    fold(text),
    known.map((one) => [fold(one), one]),
  );
  return near.length > 0 ? `nearest: ${near.join(', ')}` : `known: ${known.join(', ')}`;
}

function missing(check: Check, path: string): string {
  report(check, path, 'MISSING_VALUE', 'A text is needed here.');
  return '';
}

function report({ problems }: Check, path: string, code: ProblemCode, message: string): void {
  problems.push({ path, code, message });
}
