/**
 * The notation of formatting in the text of a cell, which is also that of plain texts: superscripts are characters
 * (`10³`), or follow `^` if Unicode lacks one of them (`240^[1]`). U+0336 follows each struck character.
 */

/** The superscript characters, for a character class. */
export const SUPERSCRIPTS =
  '\u00B2\u00B3\u00B9\u02B0-\u02B8\u02E0-\u02E4\u1D2C-\u1D61\u1D78\u1D9B-\u1DBF\u2070-\u207F\u2C7D';
const LAST_SUPERSCRIPT = 0x2c7d;

let superscriptOf: ReadonlyMap<string, string> | undefined;

function superscriptCharacters(): ReadonlyMap<string, string> {
  const isSuperscript = new RegExp(`[${SUPERSCRIPTS}]`);
  const characters = new Map<string, string>();
  for (let code = 0; code <= LAST_SUPERSCRIPT; code++) {
    const character = String.fromCharCode(code);
    if (!isSuperscript.test(character)) continue;
    const plain = character.normalize('NFKC');
    if (!characters.has(plain)) characters.set(plain, character);
  }
  return characters;
}

/** Returns a text in superscripts. */
function raise(text: string): string {
  const plain = text.trim();
  if (plain === '') return text;
  superscriptOf ??= superscriptCharacters();
  let raised = '';
  for (const character of plain.replace(/[-–—]/g, '\u2212')) {
    const superscript = superscriptOf.get(character);
    if (superscript === undefined) return text.replace(plain, () => `^${plain}`);
    raised += superscript;
  }
  return text.replace(plain, () => raised);
}

const strike = (text: string): string => text.replace(/[^\s\u0336]/gu, '$&\u0336');

/** The formatting of a part of a text. */
export interface TextFormat {
  readonly isStruck: boolean;
  readonly isSuperscript: boolean;
}

/** Returns a part of a text with its formatting as characters. */
export function formattedText(text: string, { isStruck, isSuperscript }: TextFormat): string {
  const raised = isSuperscript ? raise(text) : text;
  return isStruck ? strike(raised) : raised;
}

/** Returns the text of a whole cell. A superscript o or 0 before C or F is a degree sign. */
export function joinedText(text: string): string {
  return text.replace(/[\u1D52\u1D3C\u2070](?=\u0336?[CF]\b)/g, '°');
}

export function isStruck(text: string): boolean {
  return text.includes('\u0336');
}

/** Returns a text without its struck characters. */
export function withoutStruck(text: string): string {
  return text.replace(/.?\u0336/gsu, '');
}

/** Returns a text whose struck characters are no longer struck. */
export function withoutStrike(text: string): string {
  return text.replaceAll('\u0336', '');
}

/** A longer text is no name or heading. */
const MAX_MARKED_LENGTH = 200;
const MARKS = new RegExp(`[${SUPERSCRIPTS}]+(?:,[${SUPERSCRIPTS}]+)*|\\^(?![-+]?\\d)\\S+`, 'g');
const HAS_DIGIT = /[\u00B2\u00B3\u00B9\u2070\u2074-\u2079]/;

/**
 * Returns a name or heading without superscripts, which mark a footnote.
 *
 * @param hasPower whether the text before superscript digits has a power, as a number or a unit has
 */
export function withoutMarks(text: string, hasPower: (before: string) => boolean): string {
  if (text.length > MAX_MARKED_LENGTH) return text;
  return text
    .replace(MARKS, (mark, at: number) => (HAS_DIGIT.test(mark) && hasPower(text.slice(0, at)) ? mark : ''))
    .replace(/ {2,}/g, ' ')
    .trim();
}
