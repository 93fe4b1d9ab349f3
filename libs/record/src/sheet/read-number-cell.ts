import type { UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { describe } from '../validate/problems.ts';
import { addNotes, type CellReading, choiceOf, EMPTY_CHOICE, failed, mapValues, several } from './cell-reading.ts';
import { SUPERSCRIPTS } from './formatted-text.ts';
import { type NumberForm, numberForm, powerAt, scaled, scanNumber } from './number-text.ts';
import type { DecimalMark, NoteKind } from './sheet-reading.ts';

/** A longer text is never a number. */
export const MAX_NUMBER_LENGTH = 200;

/** The unit of a diameter and its spread if neither cell nor heading states one. */
export const SPREAD_UNIT = 'nm';

export interface NumberContext {
  readonly mark: DecimalMark | undefined;
  /** The unit of a spread whose cell states none. Without it, `±` gives no spread, unlike that of a fiber diameter. */
  readonly spreadUnit?: string;
  readonly unitOf: (text: string) => UnitEntry | undefined;
  /** Converts a number, with the unit of its cell, to the reading of the column. */
  readonly finish: (value: number, unit: string | undefined) => CellReading;
}

const NO_NUMBER = (text: string): CellReading => ({
  ...failed('WRONG_TYPE', `Expected one number, such as 15 or 1.5e3, got ${describe(text)}.`),
  repair: 'word',
  choices: [EMPTY_CHOICE],
});

const APPROXIMATE = /^(?:[~≈∼˜]|(?:ca\.?|c\.|circa|about|approximately|approx\.?) ?(?=[\d.,+-])) ?/i;
const BOUND = /^(?:<=|>=|[<>≤≥]) ?/;
const PLUS_MINUS = /±|\+ ?\/ ?-|\+-/;
const RANGE = /–|—|…|\.{2,3}|-|\bto\b|\bbis\b/;
/** Superscripts, or a mark that Unicode has no superscript of (see `formattedText`). */
const RAISED = `[${SUPERSCRIPTS}][${SUPERSCRIPTS},]*|\\^(?![-+]?\\d)\\S+`;
const FOOTNOTE = new RegExp(`(?:\\*{1,4}|[†‡§#]|${RAISED}|(?<=[\\d\\p{L}%°]) ?[a-z]\\))$`, 'u');
const FOOTNOTE_OF_NUMBER = new RegExp(`^ ?(?:${RAISED})`, 'u');
/** `200-300 (avg 250)` */
const AVERAGE = /^(?<range>[^()]+)\( ?(?:avg\.?|average|mean)[ =:]*(?<average>[^()]+)\)$/i;
const BRACKET = /^(?<before>[^()]*)\((?<inside>[^()]*)\)(?<after>[^()]*)$/;

/** A number of measurements behind a mean, such as `240 ± 30 (n = 50)`. */
const COUNT = /[ ,;]*(?:\( ?n ?=? ?(?<inside>\d+) ?\)|(?:[,;] ?n ?=? ?| n ?= ?)(?<behind>\d+))$/i;
/** `240 (SD 30, n 100)` */
const SPREAD_AND_COUNT =
  /^(?<mean>[^()]+)\( ?(?:sd|s\.d\.|std\.?(?: dev\.?)?|±)[ =:]*(?<spread>[^(),;]+)(?<count>[,;][^()]*)?\)$/i;

/** Reads the text of a number with its unit, its bounds and its spread. Expects normal spaces and signs. */
export function readNumberText(text: string, context: NumberContext, isApproximate = false): CellReading {
  if (text.length > MAX_NUMBER_LENGTH) return NO_NUMBER(text);
  if (context.spreadUnit !== undefined) {
    const { mean, spread, count = '' } = SPREAD_AND_COUNT.exec(text)?.groups ?? {};
    const plain = mean === undefined ? text : `${mean.trim()} ± ${spread?.trim() ?? ''}${count}`;
    const { 0: end = '', groups: { inside, behind } = {} } = COUNT.exec(plain) ?? {};
    if (end !== '') return withCount(readNumberText(plain.slice(0, -end.length), context), Number(inside ?? behind));
    if (plain !== text) return readNumberText(plain, context, isApproximate);
  }
  const sign = isApproximate ? '' : (APPROXIMATE.exec(text)?.[0] ?? '');
  if (sign !== '') {
    const reading = readNumberText(text.slice(sign.length), context, true);
    // An error quotes the whole text.
    return reading.kind === 'error' && reading.repair === 'word' ? NO_NUMBER(text) : addNotes(reading, 'approximate');
  }
  const bound = BOUND.exec(text)?.[0];
  if (bound === undefined) return readMeasures(text, context, readPair) ?? NO_NUMBER(text);
  const inner = readMeasures(text.slice(bound.length), context);
  return inner === undefined ? NO_NUMBER(text) : several('bound', choiceOf('value', inner), EMPTY_CHOICE);
}

/** Reads one number, or two by `pairs`. A text that is no unit of the list is the unit if nothing else fits. */
function readMeasures(text: string, context: NumberContext, pairs?: typeof readPair): CellReading | undefined {
  return (
    readMeasure(text, context, true) ??
    pairs?.(text, context) ??
    readFootnote(text, context) ??
    readMeasure(text, context, false)
  );
}

/** Adds the number of measured fibers to every value of a reading. */
function withCount(reading: CellReading, count: number): CellReading {
  return mapValues(reading, (value) => ({
    ...value,
    reads: `${value.reads}, n = ${count}`,
    notes: [...value.notes, 'count'],
    count,
  }));
}

interface Measure {
  readonly form: NumberForm;
  /** The unit of the cell, or the text in its place that is not in the unit list. */
  readonly unit: string | undefined;
  readonly isPercent: boolean;
  /** Whether the number has a power, as in `1.5×10³`. */
  readonly hasPower?: boolean;
  /** The number before superscripts that are a power or a footnote mark: the 10 of `10³`. */
  readonly base?: NumberForm;
}

/** Splits a text into one number and its unit. */
function measureOf(text: string, { unitOf }: NumberContext, requireKnown = true): Measure | undefined {
  const trimmed = text.trim();
  const token = scanNumber(trimmed, 0);
  const written = token && numberForm(token.raw);
  if (token === undefined || written === undefined) return undefined;
  const power = powerAt(trimmed, token);
  const number = {
    form: power === undefined ? written : scaled(written, power),
    ...(power !== undefined && (power.hasFactor ? { hasPower: true } : { base: written })),
  };
  const after = trimmed.slice(power?.end ?? token.end).trim();
  if (after === '') return { ...number, unit: undefined, isPercent: false };
  const unit = unitOf(after);
  if (unit !== undefined) return { ...number, unit: unit.unit, isPercent: unit.dimension === 'relative' };
  if (requireKnown || !/^[\p{L}°‰%][^()<>±–—…~≈]*$/u.test(after)) return undefined;
  return { ...number, unit: after, isPercent: false };
}

/** Offers both readings of an unsettled mark, and of superscripts after 10; `read` reads the cell by a decimal mark. */
function byMark(
  measures: readonly Measure[],
  context: NumberContext,
  read: (values: readonly number[]) => CellReading,
): CellReading {
  if (measures.some(({ base }) => base !== undefined)) {
    const settled = (isBase: boolean): Measure[] =>
      measures.map(({ base, ...measure }) => (isBase && base !== undefined ? { ...measure, form: base } : measure));
    return several(
      'power',
      choiceOf('power', byMark(settled(false), context, read)),
      choiceOf('base', byMark(settled(true), context, read)),
      EMPTY_CHOICE,
    );
  }
  const at = (mark: DecimalMark | undefined): CellReading => {
    const notes = new Set<NoteKind>(measures.some(({ hasPower }) => hasPower) ? ['power'] : []);
    const values = measures.map(({ form }) => {
      if (form.kind === 'one') {
        if (form.note !== undefined) notes.add(form.note);
        return form.value;
      }
      const isDecimal = form.written === mark;
      if (!isDecimal) notes.add('thousands');
      else if (mark === ',') notes.add('decimal-comma');
      return isDecimal ? form.decimal : form.thousands;
    });
    return addNotes(read(values), ...notes);
  };
  const open = measures.find(({ form }) => form.kind === 'two')?.form;
  if (open?.kind !== 'two' || context.mark !== undefined) return at(context.mark);
  const other = open.written === ',' ? '.' : ',';
  return several('mark', choiceOf('decimal', at(open.written)), choiceOf('thousands', at(other)));
}

function readMeasure(text: string, context: NumberContext, requireKnown: boolean): CellReading | undefined {
  const measure = measureOf(text, context, requireKnown);
  return measure && byMark([measure], context, ([value = 0]) => context.finish(value, measure.unit));
}

/** Returns the end of the number that begins a text, with its power. */
function endOfNumber(text: string): number | undefined {
  const token = scanNumber(text, 0);
  return token && (powerAt(text, token)?.end ?? token.end);
}

/** Reads `240 ± 30 nm`, `240 (30)` and `10–12`. */
function readPair(text: string, context: NumberContext): CellReading | undefined {
  const end = endOfNumber(text);
  if (end === undefined) return undefined;
  const averaged = AVERAGE.exec(text)?.groups;
  if (averaged !== undefined) {
    const range = readPair(averaged['range'] ?? '', context);
    const average = readMeasure(averaged['average'] ?? '', context, true);
    if (range?.kind !== 'several' || range.repair !== 'range' || average === undefined) return undefined;
    return { ...range, choices: range.choices.toSpliced(-1, 0, choiceOf('average', average)) };
  }
  const bracket = BRACKET.exec(text)?.groups;
  if (bracket !== undefined) {
    const { before = '', inside = '', after = '' } = bracket;
    const unbracketed = inside.trim().replace(PLUS_MINUS, '').trim();
    return PLUS_MINUS.test(inside)
      ? readSpread(before, `${unbracketed} ${after}`, context)
      : readBracket(`${before.trim()} ${after}`, inside, context);
  }
  for (const [separator, read] of [[PLUS_MINUS, readSpread] as const, [RANGE, readRange] as const]) {
    const match = separator.exec(text.slice(end));
    if (match === null) continue;
    const at = end + match.index;
    return read(text.slice(0, at), text.slice(at + match[0].length), context);
  }
  return undefined;
}

/** Reads two numbers, each of which can have a unit. A unit after the second number holds for both. */
function readBoth(
  left: string,
  right: string,
  context: NumberContext,
  read: (values: readonly [first: number, second: number], measures: readonly [Measure, Measure]) => CellReading,
): CellReading | undefined {
  const first = measureOf(left, context);
  const second = measureOf(right, context);
  if (first === undefined || second === undefined) return undefined;
  return byMark([first, second], context, ([a = 0, b = 0]) => read([a, b], [first, second]));
}

const sharedUnit = ([first, second]: readonly [Measure, Measure]): string | undefined => first.unit ?? second.unit;

function readSpread(left: string, right: string, context: NumberContext): CellReading | undefined {
  const reading = readBoth(left, right, context, meanWithSpread(context));
  return reading && addNotes(reading, context.spreadUnit === undefined ? 'tolerance-dropped' : 'plus-minus');
}

const meanWithSpread =
  ({ finish, spreadUnit }: NumberContext) =>
  (
    [value, variation]: readonly [value: number, variation: number],
    measures: readonly [mean: Measure, spread: Measure],
  ): CellReading => {
    const [mean, spread] = measures;
    const isRelative = spreadUnit !== undefined && spread.isPercent;
    const unit = isRelative ? mean.unit : sharedUnit(measures);
    const reading = finish(value, unit);
    if (reading.kind !== 'value' || spreadUnit === undefined) return reading;
    const quantity = { value: variation, unit: spread.unit ?? unit ?? spreadUnit };
    return { ...reading, reads: `${reading.reads} ± ${withUnit(variation, quantity.unit)}`, spread: quantity };
  };

function readBracket(left: string, right: string, context: NumberContext): CellReading | undefined {
  return readBoth(left, right, context, (values, measures) => {
    const both = addNotes(meanWithSpread(context)(values, measures), 'bracket');
    const alone = context.finish(values[0], sharedUnit(measures));
    const variation = context.spreadUnit === undefined ? [] : [choiceOf('variation', both)];
    return several('bracket', ...variation, choiceOf('ignore', alone), EMPTY_CHOICE);
  });
}

function readRange(left: string, right: string, context: NumberContext): CellReading | undefined {
  return readBoth(left, right, context, ([from, to], measures) => {
    const at = (choice: string, value: number) => choiceOf(choice, context.finish(value, sharedUnit(measures)));
    // Rounded, because the sum of two decimals has a rounding error in the last digit.
    const middle = Number(((from + to) / 2).toPrecision(12));
    return several(
      'range',
      at('low', Math.min(from, to)),
      at('middle', middle),
      at('high', Math.max(from, to)),
      EMPTY_CHOICE,
    );
  });
}

function readFootnote(text: string, context: NumberContext): CellReading | undefined {
  const end = endOfNumber(text);
  if (end === undefined) return undefined;
  const ofNumber = FOOTNOTE_OF_NUMBER.exec(text.slice(end))?.[0];
  const mark = ofNumber ?? FOOTNOTE.exec(text)?.[0];
  if (mark === undefined) return undefined;
  const at = ofNumber === undefined ? text.length - mark.length : end;
  const unmarked = text.slice(0, at) + text.slice(at + mark.length);
  const inner = readMeasure(unmarked, context, true) ?? readPair(unmarked, context);
  return inner && several('footnote', choiceOf('value', inner), EMPTY_CHOICE);
}
