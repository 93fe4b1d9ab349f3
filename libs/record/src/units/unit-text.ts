import { normalize } from '../reference/fold.ts';

const MAX_LENGTH = 60;
/** The characters between the factors of a unit; a hyphen before a digit is the sign of an exponent. */
const SEPARATOR = /[\s.·∙•⋅・*×()]+|-(?!\d)/;
const SHARE = /^(?:%(?<behind>\p{L}[\p{L}/]*)|(?<before>\p{L}[\p{L}/]*)%)$/u;
const FACTOR = /^(?<word>.*?[^\d^-])(?:\^?(?<power>-?[1-9]))?$/;
/** A word that has a singular and a plural. */
const WORD = /^\p{L}\p{Ll}{3,}$/u;
/** The volumes that are also written as cubes. */
const CUBES: readonly (readonly [cube: RegExp, volume: string])[] = [
  [/\bcm\^(-?)3(?!\d)/g, 'mL^$11'],
  [/\bdm\^(-?)3(?!\d)/g, 'L^$11'],
];

/** Returns the name of a unit that has one factor, by one of its spellings. */
type AtomName = (word: string) => string | undefined;

/**
 * Returns a text that all spellings of a unit share: `µL min-1`, `uL/minute` and `µl·min⁻¹` have one key. All factors
 * behind a slash are in the denominator. Undefined for a text that is no unit in this grammar, among them a unit with a
 * footnote mark.
 */
function unitKey(text: string, atomName: AtomName): string | undefined {
  // `*` at an end and superscript digits at the start are footnote marks, which NFKC would make a part of the unit.
  if (text.length > MAX_LENGTH || /^\s*[*×·∙•⋅・¹²³⁰⁴-⁹]|[*×·∙•⋅・-]\s*$/u.test(text)) return undefined;
  const plain = normalize(text.normalize('NFKC'))
    .replace(/\bper ?cent\b/i, '%')
    .replace(/(\d)(?=\p{L})/gu, '$1 ')
    .replace(/\s*\bper\b\s*/gi, '/');
  const { behind, before } = SHARE.exec(plain.replace(/[\s.()-]+/g, ''))?.groups ?? {};
  const share = behind ?? before;
  if (share !== undefined) return `%${share.toLowerCase()}`;
  const factors: string[] = [];
  for (const [at, product] of plain.split('/').entries()) {
    for (const factor of product.split(SEPARATOR)) {
      if (factor === '' || (at === 0 && factor === '1')) continue;
      const { word = factor, power } = FACTOR.exec(factor)?.groups ?? {};
      // `kV¹` has a footnote mark.
      if (power === '1') return undefined;
      const sign = at === 0 ? 1 : -1;
      const names = namesOf(word, atomName);
      for (const [position, name] of names.entries()) {
        factors.push(`${name}^${sign * (position === names.length - 1 ? Number(power ?? 1) : 1)}`);
      }
    }
  }
  return factors.length === 0 ? undefined : factors.sort().join('·');
}

/** Returns the names of a factor, or of two that are written together, as in `mLh-1`. */
function namesOf(word: string, atomName: AtomName): readonly string[] {
  const name = atomName(word);
  if (name !== undefined) return [name];
  for (let at = word.length - 1; at > 0 && word.length > 2; at--) {
    const [first, second] = [atomName(word.slice(0, at)), atomName(word.slice(at))];
    if (first !== undefined && second !== undefined) return [first, second];
  }
  return [word];
}

/** A spelling of a unit, with the unit as the list writes it. */
type UnitSpelling<Unit> = readonly [text: string, name: string, unit: Unit];

/**
 * Returns a function that finds the units that a text spells by the grammar of units. Every spelling of a factor in the
 * list works in every unit that has it.
 */
export function unitReader<Unit>(spellings: readonly UnitSpelling<Unit>[]): (text: string) => readonly Unit[] {
  let known: { byKey: ReadonlyMap<string, readonly Unit[]>; atomName: AtomName } | undefined;
  return (text) => {
    known ??= indexKeys(spellings);
    const key = unitKey(text, known.atomName);
    if (key === undefined) return [];
    const asVolume = CUBES.reduce((changed, [cube, volume]) => changed.replace(cube, volume), key);
    return known.byKey.get(key) ?? known.byKey.get(asVolume.split('·').sort().join('·')) ?? [];
  };
}

function indexKeys<Unit>(spellings: readonly UnitSpelling<Unit>[]) {
  const exact = new Map<string, string>();
  const folded = new Map<string, string | undefined>();
  for (const [text, name] of spellings) {
    if (!/^[^\s\d/.·^]+$/.test(name) || (name.includes('%') && name !== '%')) continue;
    exact.set(normalize(text), name);
    const lower = normalize(text).toLowerCase();
    folded.set(lower, (folded.get(lower) ?? name) === name ? name : undefined);
  }
  const written = (word: string): string | undefined => exact.get(word) ?? folded.get(word.toLowerCase());
  const atomName: AtomName = (word) =>
    written(word) ?? (WORD.test(word) ? (written(word.replace(/s$/, '')) ?? written(`${word}s`)) : undefined);
  const byKey = new Map<string, Unit[]>();
  for (const [text, name, unit] of spellings) {
    const key = unitKey(text, atomName);
    // `mM` is one word in any case, but no spelling of a factor.
    if (key === undefined || (/^[^·]+\^1$/.test(key) && key !== `${name}^1`)) continue;
    const units = byKey.get(key) ?? [];
    if (!units.includes(unit)) byKey.set(key, [...units, unit]);
  }
  return { byKey, atomName };
}
