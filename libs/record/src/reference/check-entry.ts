import { isCasNumber } from './cas-number.ts';
import { nearest } from '../validate/nearest-names.ts';
import { isPlainLine, trimmedText } from '../validate/plain-text.ts';
import { describe, type ValidationProblem, type ProblemCode } from '../validate/problems.ts';
import { fold } from './fold.ts';
import { entriesOf, OWN_NAME, ownName, resolveName, spellingKey, spellingsOf } from './reference.ts';
import type {
  EntryOf,
  InstabilityEntry,
  EntryInList,
  ListName,
  MorphologyEntry,
  References,
  SubstanceEntry,
  UnitEntry,
} from './reference.ts';

const MAX_NAME_LENGTH = 200;
const MAX_DEFINITION_LENGTH = 2_000;
const MAX_SPELLINGS = 100;

const KINDS = {
  polymers: ['polymer', 'biopolymer', 'copolymer', 'additive', 'drug', 'particle', 'unknown'],
  solvents: ['solvent', 'salt', 'mixture', 'unknown'],
} as const;

interface Check {
  readonly references: References;
  readonly problems: ValidationProblem[];
  /** Previous own names of the entry, which remain its spellings. */
  readonly formerNames: readonly string[];
}

/**
 * Checks an entry that is new (id 0) or replaces the entry with its id, and converts it to its stored form. The stored form
 * has trimmed texts, previous own names among its spellings, and names of other entries as the lists spell them. Reports
 * all problems. `dimension`, `canonical`, `factor` and `offset` never change, because records were converted with them.
 */
export function checkEntry(
  sent: EntryInList,
  references: References,
  formerNames: readonly string[],
): { checked: EntryInList; problems: ValidationProblem[] } {
  const check: Check = { references, problems: [], formerNames };
  const checked = checkMembers(check, sent);
  checkSpellings(check, checked.list, checked.entry);
  return { checked, problems: check.problems };
}

function checkMembers(check: Check, { list, entry }: EntryInList): EntryInList {
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
  const stored = storedEntry(references, list, sent.id);
  const name = checkText(check, 'name', sent.name, MAX_NAME_LENGTH) ?? missing(check, 'name');
  if (name.includes('-') && name !== stored?.name) {
    const message = `The name ${describe(name)} contains a hyphen, which joins names in flattened records; write _ instead.`;
    problems.push({ path: 'name', code: 'INVALID_FORMAT', message });
  }
  const casNumber = checkText(check, 'casNumber', sent.casNumber, MAX_NAME_LENGTH);
  if (casNumber !== undefined && !isCasNumber(casNumber)) {
    const message = `Expected a CAS number with a valid check digit, such as 9002-89-5, got ${describe(casNumber)}.`;
    problems.push({ path: 'casNumber', code: 'INVALID_FORMAT', message });
  }
  const kinds: readonly string[] = KINDS[list];
  const kind = checkText(check, 'kind', sent.kind, MAX_NAME_LENGTH) ?? 'unknown';
  if (!kinds.includes(kind))
    report(check, 'kind', 'INVALID_FORMAT', `Expected one of ${kinds.join(', ')}, got ${describe(kind)}.`);
  return {
    id: sent.id,
    name,
    fullName: checkText(check, 'fullName', sent.fullName, MAX_NAME_LENGTH),
    casNumber,
    abbreviation: checkText(check, 'abbreviation', sent.abbreviation, MAX_NAME_LENGTH),
    aliases: checkTexts(check, list, 'aliases', sent.aliases, [name, sent.fullName, sent.abbreviation]),
    kind,
    note: stored?.note,
    sameAs: checkSameAs(check, list, sent, stored),
    retired: sent.retired ?? false,
    ...checkSubstanceIdentifiers(check, list, sent),
  };
}

function checkSameAs(
  check: Check,
  list: 'polymers' | 'solvents',
  sent: SubstanceEntry,
  stored: SubstanceEntry | undefined,
): string | undefined {
  const { references } = check;
  const text = checkText(check, 'sameAs', sent.sameAs, MAX_NAME_LENGTH);
  if (text === undefined) return undefined;
  const resolution = resolveName(references, list, text);
  if (resolution.kind !== 'found') {
    const why = resolution.kind === 'ambiguous' ? `is ambiguous (${resolution.meanings.join(' or ')})` : 'is unknown';
    report(
      check,
      'sameAs',
      'INVALID_FORMAT',
      `The name ${describe(text)} ${why}; send the name of an entry in /metadata/${list}.`,
    );
    return text;
  }
  const { entry: target } = resolution;
  if (target.id === sent.id || fold(text) === fold(sent.name)) {
    report(
      check,
      'sameAs',
      'INVALID_FORMAT',
      '`sameAs` must not name the entry itself; leave it out or name another entry.',
    );
  } else if (target.sameAs !== undefined) {
    const message = `The entry ${describe(target.name)} is the same as ${describe(target.sameAs)}; send that name.`;
    report(check, 'sameAs', 'INVALID_FORMAT', message);
  }
  const follower = stored && references.lists[list].find(({ sameAs }) => sameAs === stored.name);
  if (follower) {
    const message = `The entry ${describe(follower.name)} is the same as this one, so this one must not have \`sameAs\`.`;
    report(check, 'sameAs', 'INVALID_FORMAT', message);
  }
  return target.name;
}

function checkUnit(check: Check, sent: UnitEntry): UnitEntry {
  const { references } = check;
  const stored = storedEntry(references, 'units', sent.id);
  const unit = checkText(check, 'unit', sent.unit, MAX_NAME_LENGTH) ?? missing(check, 'unit');
  const name = checkText(check, 'name', sent.name, MAX_NAME_LENGTH) ?? missing(check, 'name');
  const aliases = checkTexts(check, 'units', 'aliases', sent.aliases, [unit, name]);
  const entry = {
    id: sent.id,
    unit,
    name,
    aliases,
    retired: sent.retired ?? false,
    ...checkUnitIdentifiers(check, sent),
  };
  if (stored) {
    const { dimension, canonical, factor, offset } = stored;
    for (const member of ['dimension', 'canonical', 'factor', 'offset'] as const) {
      if (sent[member] === stored[member]) continue;
      const fixed = stored[member] === undefined ? 'absent' : describe(stored[member]);
      const got = sent[member] === undefined ? 'nothing' : describe(sent[member]);
      const message = `\`${member}\` is ${fixed} and cannot change, because values were converted with it; got ${got}.`;
      report(check, member, 'NOT_CHANGEABLE', message);
    }
    if (canonical === stored.unit && unit !== stored.unit) {
      const message = `Units of ${dimension} are converted to ${describe(canonical)}, so its name cannot change.`;
      report(check, 'unit', 'NOT_CHANGEABLE', message);
    }
    return { ...entry, dimension, canonical, factor, offset };
  }
  const dimension = checkText(check, 'dimension', sent.dimension, MAX_NAME_LENGTH) ?? missing(check, 'dimension');
  const known = [...new Set(references.lists.units.map((one) => one.dimension))];
  const canonical = references.lists.units.find((one) => one.dimension === dimension)?.canonical;
  if (dimension !== '' && !known.includes(dimension)) {
    report(
      check,
      'dimension',
      'INVALID_FORMAT',
      `Unknown dimension ${describe(dimension)}; ${hint(dimension, known)}.`,
    );
  } else if (dimension !== '' && canonical === undefined) {
    report(check, 'dimension', 'INVALID_FORMAT', `Units of ${dimension} cannot be added; choose another dimension.`);
  } else if (dimension !== '' && sent.canonical !== undefined && sent.canonical !== canonical) {
    const message = `Units of ${dimension} are converted to ${describe(canonical)}, not to ${describe(sent.canonical)}.`;
    report(check, 'canonical', 'INVALID_FORMAT', message);
  }
  const { factor, offset = 0 } = sent;
  if (factor === undefined) {
    report(
      check,
      'factor',
      'MISSING_VALUE',
      `\`factor\` is required: value in ${canonical ?? 'the canonical unit'} = value × factor + offset.`,
    );
  } else if (!Number.isFinite(factor) || factor <= 0) {
    report(check, 'factor', 'INVALID_FORMAT', `\`factor\` must be a finite number above 0, got ${factor}.`);
  }
  if (!Number.isFinite(offset))
    report(check, 'offset', 'INVALID_FORMAT', `\`offset\` must be a finite number, got ${offset}.`);
  return { ...entry, dimension, canonical, factor, offset };
}

/** Polymers have no identifiers, because a polymer is not a single compound. */
function checkSubstanceIdentifiers(
  check: Check,
  list: 'polymers' | 'solvents',
  sent: SubstanceEntry,
): Pick<SubstanceEntry, 'inchiKey' | 'pubchemCid'> {
  if (list === 'polymers') return { inchiKey: undefined, pubchemCid: undefined };
  const inchiKey = checkText(check, 'inchiKey', sent.inchiKey, MAX_NAME_LENGTH);
  if (inchiKey !== undefined && !/^[A-Z]{14}-[A-Z]{10}-[A-Z]$/.test(inchiKey)) {
    const message = `Expected an InChIKey such as CSCPPACGZOOCGX-UHFFFAOYSA-N, got ${describe(inchiKey)}.`;
    report(check, 'inchiKey', 'INVALID_FORMAT', message);
  }
  const { pubchemCid } = sent;
  if (pubchemCid !== undefined && (!Number.isSafeInteger(pubchemCid) || pubchemCid < 1)) {
    report(check, 'pubchemCid', 'INVALID_FORMAT', `Expected a PubChem compound id, such as 6228, got ${pubchemCid}.`);
  }
  return { inchiKey, pubchemCid };
}

function checkUnitIdentifiers(check: Check, sent: UnitEntry): Pick<UnitEntry, 'ucumCode' | 'qudtUri'> {
  const ucumCode = checkText(check, 'ucumCode', sent.ucumCode, MAX_NAME_LENGTH);
  if (ucumCode !== undefined && !/^[\x21-\x7e]+$/.test(ucumCode)) {
    const message = `Expected a UCUM code such as mL/h, in ASCII without spaces, got ${describe(ucumCode)}.`;
    report(check, 'ucumCode', 'INVALID_FORMAT', message);
  }
  const qudtUri = checkText(check, 'qudtUri', sent.qudtUri, MAX_NAME_LENGTH);
  if (qudtUri !== undefined && !/^http:\/\/qudt\.org\/vocab\/unit\/[A-Za-z0-9_-]+$/.test(qudtUri)) {
    const message = `Expected a URI such as http://qudt.org/vocab/unit/KiloV, got ${describe(qudtUri)}.`;
    report(check, 'qudtUri', 'INVALID_FORMAT', message);
  }
  return { ucumCode, qudtUri };
}

function checkMorphology(check: Check, sent: MorphologyEntry): MorphologyEntry {
  const label = checkText(check, 'label', sent.label, MAX_NAME_LENGTH) ?? missing(check, 'label');
  return {
    id: sent.id,
    category: checkCategory(check, 'morphologies', sent.category),
    label,
    abbreviation: checkText(check, 'abbreviation', sent.abbreviation, MAX_NAME_LENGTH),
    definition: checkText(check, 'definition', sent.definition, MAX_DEFINITION_LENGTH) ?? missing(check, 'definition'),
    synonyms: checkTexts(check, 'morphologies', 'synonyms', sent.synonyms, [label, sent.abbreviation]),
    retired: sent.retired ?? false,
  };
}

function checkInstability(check: Check, sent: InstabilityEntry): InstabilityEntry {
  const label = checkText(check, 'label', sent.label, MAX_NAME_LENGTH) ?? missing(check, 'label');
  return {
    id: sent.id,
    label,
    category: checkCategory(check, 'instabilities', sent.category),
    definition: checkText(check, 'definition', sent.definition, MAX_DEFINITION_LENGTH) ?? missing(check, 'definition'),
    synonyms: checkTexts(check, 'instabilities', 'synonyms', sent.synonyms, [label]),
    retired: sent.retired ?? false,
  };
}

function checkCategory(check: Check, list: 'morphologies' | 'instabilities', sent: string): string {
  const text = checkText(check, 'category', sent, MAX_NAME_LENGTH) ?? missing(check, 'category');
  const known = [...new Set(check.references.lists[list].map(({ category }) => category))];
  const category = known.find((one) => fold(one) === fold(text));
  if (text !== '' && category === undefined) {
    report(check, 'category', 'INVALID_FORMAT', `Unknown category ${describe(text)}; known: ${known.join(', ')}.`);
  }
  return category ?? text;
}

/** Reports each new spelling of the entry that another entry has or that is ambiguous. */
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
  for (const [path, text] of spellingsOf(list, entry)) {
    const key = spellingKey(list, text);
    // A spelling equal to an ambiguous text would resolve the ambiguity.
    const meanings = references.indexes[list].ambiguous.get(fold(text));
    const owner = owners.get(key);
    if (owner !== undefined && (!had.has(key) || path === OWN_NAME[list])) {
      report(
        check,
        path,
        'NAME_TAKEN',
        `The text ${describe(text)} already belongs to the entry ${describe(owner)}; choose another.`,
      );
    } else if (meanings !== undefined && !had.has(key)) {
      report(
        check,
        path,
        'AMBIGUOUS_NAME',
        `The text ${describe(text)} is ambiguous (${meanings.join(' or ')}) and cannot belong to one entry; leave it out.`,
      );
    }
  }
}

/** Trims a text and reports what is wrong with it. Returns undefined for an empty one. */
export function checkText(
  check: Pick<Check, 'problems'>,
  path: string,
  sent: string | undefined,
  maxLength: number,
): string | undefined {
  const text = trimmedText(sent ?? '');
  const length = [...text].length;
  if (length > maxLength) {
    report(check, path, 'TOO_LONG', `Expected at most ${maxLength} characters, got ${length}.`);
  }
  if (!isPlainLine(text)) {
    report(
      check,
      path,
      'INVALID_TEXT',
      `The text ${describe(text)} contains a control character or a lone surrogate; remove it.`,
    );
  }
  return text === '' ? undefined : text;
}

/** Returns the sent spellings without duplicates, plus previous names that would be lost. */
function checkTexts(
  check: Check,
  list: ListName,
  member: string,
  sent: readonly string[],
  others: readonly (string | undefined)[],
): string[] {
  if (sent.length > MAX_SPELLINGS) {
    report(check, member, 'TOO_MANY_ITEMS', `Expected at most ${MAX_SPELLINGS} items, got ${sent.length}.`);
  }
  const texts = sent.slice(0, MAX_SPELLINGS).map((text, index) => {
    const path = `${member}[${index}]`;
    return checkText(check, path, text, MAX_NAME_LENGTH) ?? missing(check, path);
  });
  const keys = new Set([...others.flatMap((text) => text ?? []), ...texts].map((text) => spellingKey(list, text)));
  const lost = check.formerNames.filter((name) => !keys.has(spellingKey(list, name)));
  return [...new Set([...texts, ...lost])];
}

function storedEntry<L extends ListName>(references: References, list: L, id: number): EntryOf<L> | undefined {
  return entriesOf(references.lists, list).find((entry) => entry.id === id);
}

function hint(text: string, known: readonly string[]): string {
  const near = nearest(
    fold(text),
    known.map((one) => [fold(one), one]),
  );
  return near.length > 0 ? `nearest: ${near.join(', ')}` : `known: ${known.join(', ')}`;
}

export function missing(check: Pick<Check, 'problems'>, path: string): string {
  report(check, path, 'MISSING_VALUE', `\`${path}\` is required.`);
  return '';
}

export function report({ problems }: Pick<Check, 'problems'>, path: string, code: ProblemCode, message: string): void {
  problems.push({ path, code, message });
}
