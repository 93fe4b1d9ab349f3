import { numberIn } from './number-text.ts';

/** A longer text has no shares. */
const MAX_LENGTH = 200;
/** The shares behind names have few spaces and brackets: `(3 : 1)`. */
const MAX_STARTS = 10;

const BASIS = String.raw`(?:v|w|wt|vol|m|mass|weight)\.?`;
const RATIO = `${BASIS} ?[/:] ?${BASIS}`;
const UNIT = new RegExp(
  String.raw`[ ,;]*\(? ?(?<unit>${RATIO}|by (?:weight|mass|volume)|(?:vol|wt)\.? ?%|%) ?\)?$`,
  'i',
);
/** `v/v 7:3` */
const UNIT_BEFORE = new RegExp(String.raw`^(?<unit>${RATIO})[ ,:=]+(?<numbers>\d.*)$`, 'i');
const WORDS_OF_UNIT: Readonly<Record<string, string>> = { 'by weight': 'w/w', 'by mass': 'w/w', 'by volume': 'v/v' };
/** `7:3 DCM/DMF`, `70/30 (v/v) DMF/THF` */
const SHARES_BEFORE = new RegExp(
  String.raw`^(?<shares>\(?\d[\d.,]*(?: ?[:/] ?\d[\d.,]*)+\)?(?: ?\(?${RATIO}\)?)?) +(?<names>\D.*)$`,
  'i',
);
const PERCENT = String.raw`(?<number>\d[\d.,]*) ?(?<unit>[\p{L}.-]{0,4} ?%(?: ?\(?${RATIO}\)?)?)`;
/** `70% DMF`, `0.1 wt% of LiCl` */
const SHARE_BEFORE = new RegExp(String.raw`^${PERCENT} ?(?:of )?(?<name>\p{L}.*)$`, 'iu');
/** `DMF (70%)`, `acetic acid 90%` */
const SHARE_BEHIND = new RegExp(String.raw`^(?<name>.*?[^\s,:=(]) ?[,:=]? ?\(?${PERCENT}\)?$`, 'iu');

export interface Shares {
  /** Undefined for a component without a share. */
  readonly values: readonly (number | undefined)[];
  readonly unit: string | undefined;
}

const withoutBrackets = (text: string): string =>
  text
    .trim()
    .replace(/^\((?<inside>.*)\)$/s, '$<inside>')
    .trim();

/** Reads `3:1`, `70/30 v/v`, `(3:1)`: numbers and the unit that the text states. A share alone is also accepted. */
export function readShares(text: string): Shares | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const plain = withoutBrackets(text).replace(UNIT_BEFORE, '$<numbers> $<unit>');
  const { index, groups } = UNIT.exec(plain) ?? {};
  const written = groups?.['unit'];
  let unit = written && (WORDS_OF_UNIT[written.toLowerCase()] ?? written);
  const values: number[] = [];
  for (const part of withoutBrackets(plain.slice(0, index)).split(/[:/–-]/)) {
    const number = part.trim().replace(/ ?%$/, '');
    if (number !== part.trim()) unit ??= '%';
    const value = numberIn(number);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return { values, unit };
}

/** Separates names from the shares before or behind them all; `shares` is absent without any. */
export function splitShares(text: string): { readonly names: string; readonly shares?: Shares } {
  const { shares: written = '', names: behind = '' } = SHARES_BEFORE.exec(text)?.groups ?? {};
  const unit = UNIT.exec(behind)?.[0] ?? '';
  const before = readShares(written + unit);
  if (before !== undefined) return { names: behind.slice(0, behind.length - unit.length), shares: before };
  for (const { index } of [...text.matchAll(/ |\(/g)].slice(-MAX_STARTS).reverse()) {
    const shares = readShares(text.slice(index));
    const names = text.slice(0, index).trim();
    // In `DMF 3 : 1 : 2`, the shares do not begin with the second number.
    if (shares === undefined || shares.values.length < 2 || names === '' || /[:/+&-]$/.test(names)) continue;
    return { names: names.replace(/ ?[,;=]$/, ''), shares };
  }
  return { names: text };
}

/** Separates a name from its own share before or behind it. */
export function shareIn(text: string): { name: string; share: number; unit: string } | undefined {
  const { name, number = '', unit } = (SHARE_BEFORE.exec(text) ?? SHARE_BEHIND.exec(text))?.groups ?? {};
  const share = numberIn(number);
  return name === undefined || share === undefined || unit === undefined ? undefined : { name, share, unit };
}
