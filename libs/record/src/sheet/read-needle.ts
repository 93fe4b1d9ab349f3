import type { UnitEntry } from '../reference/reference.ts';
import { needleGauges } from '../units/needle-gauges.ts';
import { convert, withUnit } from '../units/units.ts';
import { describe } from '../validate/problems.ts';
import { numberForm } from './number-text.ts';
import type { CellReading } from './read-number-cell.ts';

/** A stated inner diameter can differ from that of the gauge by this share, because needles have different walls. */
const TOLERANCE = 0.15;

const SEPARATORS = /[\s,;/()[\]]*/y;
const LENGTH = /(?:[x×*] ?\d+(?:[.,]\d+)?(?: ?[½¼¾])?|[½¼¾]) ?(?:"|″|''|inch(?:es)?|in|mm|cm)?/iy;
const GAUGE = /(?:(?<before>\d{1,2}) ?-? ?(?:gauge|gage|ga|g)\.?(?![a-z])|g ?(?<behind>\d{1,2})(?![\d.,]))/iy;
const WORD = String.raw`i\.?d\.?|o\.?d\.?|(?:inner|inside|outer|outside) diameter`;
const SIZE = new RegExp(
  String.raw`(?:(?<word>${WORD}) ?[=:]? ?)?(?<number>\d+(?:[.,]\d+)?) ?(?<unit>[a-zµ]+)(?: ?(?<behind>${WORD})(?![a-z]))?`,
  'iy',
);

interface Size {
  readonly value: number;
  readonly unit: UnitEntry;
}

/**
 * Reads a needle with more than one size, such as `21G (0.51 mm ID)`, `ID 0.4 mm, OD 0.7 mm` and `18G x 1.5"`. Its length
 * is only a note. Returns undefined if a part of the text is something else.
 */
export function readNeedleText(text: string, unitOf: (text: string) => UnitEntry | undefined): CellReading | undefined {
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at += match[0].length;
    return match;
  };
  let gauge: number | undefined;
  let inner: Size | undefined;
  let outer: Size | undefined;
  let [hasLength, hasWord] = [false, false];
  for (next(SEPARATORS); at < text.length; next(SEPARATORS)) {
    if (!hasLength && next(LENGTH)) {
      hasLength = true;
      continue;
    }
    const { before, behind } = (gauge === undefined ? next(GAUGE)?.groups : undefined) ?? {};
    if (before !== undefined || behind !== undefined) {
      gauge = Number(before ?? behind);
      continue;
    }
    const match = next(SIZE)?.groups;
    const form = numberForm(match?.['number'] ?? '');
    const unit = unitOf(match?.['unit'] ?? '');
    if (form?.kind !== 'one' || unit?.dimension !== 'length') return undefined;
    const size = { value: form.value, unit };
    const word = match?.['word'] ?? match?.['behind'];
    hasWord ||= word !== undefined;
    if (word !== undefined && /^o/i.test(word)) {
      if (outer !== undefined) return undefined;
      outer = size;
    } else if (inner === undefined) inner = size;
    else return undefined;
  }
  // A length alone is an ordinary quantity.
  return gauge === undefined && !hasWord ? undefined : needleOf({ gauge, inner, outer }, hasLength, unitOf);
}

function needleOf(
  { gauge, inner, outer }: { gauge: number | undefined; inner: Size | undefined; outer: Size | undefined },
  hasLength: boolean,
  unitOf: (text: string) => UnitEntry | undefined,
): CellReading | undefined {
  if (gauge === undefined && inner === undefined) return undefined;
  const nominal = needleGauges.find((one) => one.gauge === gauge)?.innerDiameterMm;
  const mm = unitOf('mm');
  const stated = inner && mm && convert(inner.value, inner.unit, mm);
  if (nominal !== undefined && stated !== undefined && Math.abs(stated - nominal) > TOLERANCE * nominal) {
    const message = `The inner diameter ${describe(`${stated} mm`)} contradicts ${gauge} G, which has ${nominal} mm; leave one of them out.`;
    return { kind: 'error', code: 'CONFLICTING_MEMBERS', message };
  }
  const size = gauge === undefined ? inner : { value: gauge, unit: { unit: 'G' } };
  const needle = {
    size: size?.value,
    unit: size?.unit.unit,
    ...(gauge !== undefined && inner ? { innerDiameter: inner.value, innerDiameterUnit: inner.unit.unit } : {}),
    ...(outer ? { outerDiameter: outer.value, outerDiameterUnit: outer.unit.unit } : {}),
  };
  const reads = [
    ...(gauge === undefined ? [] : [`${gauge} G`]),
    ...(inner ? [`inner diameter ${withUnit(inner.value, inner.unit.unit)}`] : []),
    ...(outer ? [`outer diameter ${withUnit(outer.value, outer.unit.unit)}`] : []),
  ].join(', ');
  return { kind: 'value', value: JSON.stringify(needle), reads, notes: hasLength ? ['name-detail'] : [] };
}
