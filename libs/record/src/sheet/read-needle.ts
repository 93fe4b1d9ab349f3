import type { UnitEntry } from '../reference/reference.ts';
import { needleGauges } from '../units/needle-gauges.ts';
import { convert, withUnit } from '../units/units.ts';
import { type CellReading, choiceOf, EMPTY_CHOICE, failed, readAs, several } from './cell-reading.ts';
import { numberIn } from './number-text.ts';

/** A stated inner diameter can differ from that of the gauge by this share, because needles have different walls. */
const TOLERANCE = 0.15;
const [FIRST_GAUGE = 0, LAST_GAUGE = 0] = [needleGauges[0]?.gauge, needleGauges.at(-1)?.gauge];

const SEPARATORS = /[\s,;/()[\]]*/y;
const LENGTH = /(?:[x×*] ?\d+(?:[.,]\d+)?(?: ?[½¼¾])?|[½¼¾]) ?(?:"|″|''|inch(?:es)?|in|mm|cm)?/iy;
const GAUGE = /(?:(?<before>\d{1,2}) ?-? ?(?:gauge|gage|ga|g)\.?(?![a-z])|g ?(?<behind>\d{1,2})(?![\d.,]))/iy;
const WORD = String.raw`i\.?d\.?|o\.?d\.?|(?:inner|inside|outer|outside) diameter`;
const SIZE = new RegExp(
  String.raw`(?:(?<word>${WORD}) ?[=:]? ?)?(?<number>\d+(?:[.,]\d+)?) ?(?<unit>[a-zµ]+)(?: ?(?<behind>${WORD})(?![a-z]))?`,
  'iy',
);
/** A word behind a size, such as `blunt`. Shorter ones can be units or footnote marks. */
const DETAIL = /(?:\p{Script=Han}+|\p{L}[\p{L}-]{2,})(?=[\s,;/()[\]]|$)/uy;

/** Reads the number of a needle. A whole number without a unit can be a gauge. */
export function needleReading(size: number, unit: string | undefined, isGauge: boolean): CellReading {
  const as = (name: string): CellReading => readAs(JSON.stringify({ size, unit: name }), withUnit(size, name));
  if (unit !== undefined) return as(unit);
  const mm = choiceOf('mm', as('mm'));
  if (!Number.isInteger(size) || size < FIRST_GAUGE || size > LAST_GAUGE) return several('needle-mm', mm, EMPTY_CHOICE);
  return isGauge ? as('G') : several('needle', choiceOf('gauge', as('G')), mm);
}

interface Size {
  readonly value: number;
  readonly unit: UnitEntry;
}

/**
 * Reads a needle with more than one size, such as `21G (0.51 mm ID)` and `ID 0.4 mm, OD 0.7 mm`, or with a detail, such
 * as `18G x 1.5"` and `18 G blunt`, which is only a note. Returns undefined if a part of the text is something else.
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
  let [hasDetail, hasWord] = [false, false];
  for (next(SEPARATORS); at < text.length; next(SEPARATORS)) {
    const { before, behind } = (gauge === undefined ? next(GAUGE)?.groups : undefined) ?? {};
    if (before !== undefined || behind !== undefined) {
      gauge = Number(before ?? behind);
      continue;
    }
    const match = next(SIZE)?.groups;
    if (match === undefined) {
      const detail = next(LENGTH) ?? ((gauge ?? inner) === undefined ? null : next(DETAIL));
      if (detail === null) return undefined;
      hasDetail = true;
      continue;
    }
    const value = numberIn(match['number'] ?? '');
    const unit = unitOf(match['unit'] ?? '');
    if (value === undefined || unit?.dimension !== 'length') return undefined;
    const word = match['word'] ?? match['behind'];
    const isOuter = word !== undefined && /^o/i.test(word);
    if ((isOuter ? outer : inner) !== undefined) return undefined;
    if (isOuter) outer = { value, unit };
    else inner = { value, unit };
    hasWord ||= word !== undefined;
  }
  // A length alone is an ordinary quantity.
  if (gauge === undefined && !(inner && hasWord)) return undefined;
  const nominal = needleGauges.find((needle) => needle.gauge === gauge)?.innerDiameterMm;
  const mm = unitOf('mm');
  const stated = inner && mm && convert(inner.value, inner.unit, mm);
  if (nominal !== undefined && stated !== undefined && Math.abs(stated - nominal) > TOLERANCE * nominal) {
    const message = `The inner diameter "${stated} mm" contradicts ${gauge} G, which has ${nominal} mm; leave one of them out.`;
    return failed('CONFLICTING_MEMBERS', message);
  }
  const needle = {
    ...(gauge === undefined ? { size: inner?.value, unit: inner?.unit.unit } : { size: gauge, unit: 'G' }),
    ...(gauge !== undefined && inner ? { innerDiameter: inner.value, innerDiameterUnit: inner.unit.unit } : {}),
    ...(outer ? { outerDiameter: outer.value, outerDiameterUnit: outer.unit.unit } : {}),
  };
  const sizes = [
    ...(gauge === undefined ? [] : [`${gauge} G`]),
    ...(inner ? [`inner diameter ${withUnit(inner.value, inner.unit.unit)}`] : []),
    ...(outer ? [`outer diameter ${withUnit(outer.value, outer.unit.unit)}`] : []),
  ];
  return readAs(JSON.stringify(needle), sizes.join(', '), ...(hasDetail ? (['name-detail'] as const) : []));
}
