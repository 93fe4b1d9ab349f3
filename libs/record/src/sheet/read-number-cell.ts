import type { Cell } from '../flatten/flatten.ts';
import type { UnitEntry } from '../reference/reference.ts';
import { withUnit } from '../units/units.ts';
import { describe, type ProblemCode, type ReadingChoice } from '../validate/problems.ts';
import { SUPERSCRIPTS } from './formatted-text.ts';
import { type NumberForm, numberForm, powerAt, scaled, scanNumber } from './number-text.ts';
import type { DecimalMark, NoteKind, RepairKind } from './sheet-reading.ts';

/** A longer text is never a number. */
export const MAX_NUMBER_LENGTH = 200;

/** The spread of a mean, such as that of `240 ± 30 nm`. */
export interface Spread {
  readonly value: number;
  readonly unit: string;
}

/** The reading of a cell: one value, none, several to choose from, or an error. */
export type CellReading =
  | {
      readonly kind: 'value';
      /** Undefined for an absent value. */
      readonly value: Cell;
      readonly reads: string;
      readonly notes: readonly NoteKind[];
      readonly spread?: Spread;
      /** The number of measured fibers. */
      readonly count?: number;
    }
  | {
      readonly kind: 'several';
      readonly repair: RepairKind;
      readonly choices: readonly (ReadingChoice & { readonly result: CellReading })[];
    }
  | {
      readonly kind: 'error';
      readonly code: ProblemCode;
      readonly message: string;
      readonly repair?: RepairKind;
      readonly choices?: readonly ReadingChoice[];
    };

export const ABSENT: Extract<CellReading, { kind: 'value' }> = {
  kind: 'value',
  value: undefined,
  reads: '',
  notes: [],
};
export const EMPTY_CHOICE = { choice: 'empty', reads: '', result: ABSENT } as const;

/** The unit of a diameter and its spread if neither cell nor heading states one. */
export const SPREAD_UNIT = 'nm';

export interface NumberContext {
  readonly mark: DecimalMark | undefined;
  /** Whether `±` gives the spread of the column, as for a fiber diameter. */
  readonly hasSpread: boolean;
  /** The unit of a spread whose cell and heading state none. */
  readonly spreadUnit: string;
  readonly unitOf: (text: string) => UnitEntry | undefined;
  /** Converts a number, with the unit of its cell, to the reading of the column. */
  readonly finish: (value: number, unit: string | undefined) => CellReading;
}

const NO_NUMBER = (text: string): CellReading => ({
  kind: 'error',
  code: 'WRONG_TYPE',
  message: `Expected one number, such as 15 or 1.5e3, got ${describe(text)}.`,
  repair: 'word',
  choices: [{ choice: 'empty', reads: '' }],
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
  if (context.hasSpread) {
    const { mean, spread, count = '' } = SPREAD_AND_COUNT.exec(text)?.groups ?? {};
    const plain = mean === undefined ? text : `${mean.trim()} ± ${spread?.trim() ?? ''}${count}`;
    const { 0: end = '', groups: { inside, behind } = {} } = COUNT.exec(plain) ?? {};
    if (end !== '') return withCount(readNumberText(plain.slice(0, -end.length), context), Number(inside ?? behind));
    if (plain !== text) return readNumberText(plain, context, isApproximate);
  }
  const sign = isApproximate ? '' : (APPROXIMATE.exec(text)?.[0] ?? '');
  if (sign !== '') return withNote(readNumberText(text.slice(sign.length), context, true), 'approximate', text);
  const bound = BOUND.exec(text)?.[0];
  if (bound !== undefined) {
    const value = text.slice(bound.length);
    const inner =
      readMeasure(value, context, true) ?? readFootnote(value, context) ?? readMeasure(value, context, false);
    if (inner === undefined) return NO_NUMBER(text);
    return {
      kind: 'several',
      repair: 'bound',
      choices: [{ choice: 'value', reads: readsOf(inner), result: inner }, EMPTY_CHOICE],
    };
  }
  return (
    readMeasure(text, context, true) ??
    readPair(text, context) ??
    readFootnote(text, context) ??
    readMeasure(text, context, false) ??
    NO_NUMBER(text)
  );
}

/** Adds a note to every value of a reading; an error quotes the whole text. */
function withNote(reading: CellReading, note: NoteKind, text: string): CellReading {
  switch (reading.kind) {
    case 'value':
      return { ...reading, notes: [note, ...reading.notes] };
    case 'several':
      return {
        ...reading,
        choices: reading.choices.map((one) => ({ ...one, result: withNote(one.result, note, text) })),
      };
    case 'error':
      return reading.repair === 'word' ? NO_NUMBER(text) : reading;
  }
}

/** Adds the number of measured fibers to every value of a reading. */
function withCount(reading: CellReading, count: number): CellReading {
  switch (reading.kind) {
    case 'value':
      if (reading.value === undefined) return reading;
      return { ...reading, reads: `${reading.reads}, n = ${count}`, notes: [...reading.notes, 'count'], count };
    case 'several':
      return {
        ...reading,
        choices: reading.choices.map((one) => ({ ...one, result: withCount(one.result, count) })),
      };
    case 'error':
      return reading;
  }
}

export function readsOf(reading: CellReading): string {
  if (reading.kind === 'value') return reading.reads;
  return reading.kind === 'several'
    ? reading.choices.flatMap(({ reads }) => (reads === '' ? [] : [reads])).join(' or ')
    : '';
}

interface Measure {
  readonly form: NumberForm;
  readonly raw: string;
  /** The unit of the cell, or the text in its place that is not in the unit list. */
  readonly unit: string | undefined;
  readonly isPercent: boolean;
  /** Whether the number has a power, as in `1.5×10³`. */
  readonly hasPower?: boolean;
  /** The number before superscripts that are a power or a footnote mark: the 10 of `10³`. */
  readonly base?: NumberForm;
}

/** Splits a text into one number and its unit. */
function measureOf(text: string, { unitOf }: NumberContext, requireKnown: boolean): Measure | undefined {
  const trimmed = text.trim();
  const token = scanNumber(trimmed, 0);
  const written = token && numberForm(token.raw);
  if (token === undefined || written === undefined) return undefined;
  const power = powerAt(trimmed, token);
  const number = {
    form: power === undefined ? written : scaled(written, power),
    raw: token.raw,
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
  read: (values: readonly number[], notes: readonly NoteKind[]) => CellReading,
): CellReading {
  if (measures.some(({ base }) => base !== undefined)) {
    const as = (choice: 'power' | 'base') => {
      const settled = measures.map(({ base, ...measure }) =>
        choice === 'base' && base !== undefined ? { ...measure, form: base } : measure,
      );
      const result = byMark(settled, context, read);
      return { choice, reads: readsOf(result), result };
    };
    const choices = [as('power'), as('base'), EMPTY_CHOICE];
    return { kind: 'several', repair: 'power', choices };
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
    return read(values, [...notes]);
  };
  const open = measures.find(({ form }) => form.kind === 'two')?.form;
  if (open?.kind !== 'two' || context.mark !== undefined) return at(context.mark);
  const decimal = at(open.written);
  const thousands = at(open.written === ',' ? '.' : ',');
  return {
    kind: 'several',
    repair: 'mark',
    choices: [
      { choice: 'decimal', reads: readsOf(decimal), result: decimal },
      { choice: 'thousands', reads: readsOf(thousands), result: thousands },
    ],
  };
}

export function addNotes(reading: CellReading, notes: readonly NoteKind[]): CellReading {
  if (notes.length === 0) return reading;
  if (reading.kind === 'value') return { ...reading, notes: [...notes, ...reading.notes] };
  if (reading.kind === 'error') return reading;
  return { ...reading, choices: reading.choices.map((one) => ({ ...one, result: addNotes(one.result, notes) })) };
}

function readMeasure(text: string, context: NumberContext, requireKnown: boolean): CellReading | undefined {
  const measure = measureOf(text, context, requireKnown);
  if (measure === undefined) return undefined;
  return byMark([measure], context, ([value = 0], notes) => addNotes(context.finish(value, measure.unit), notes));
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
    const [low, middle, high, empty] = range.choices;
    const choice = { choice: 'average', reads: readsOf(average), result: average };
    return { ...range, choices: [low, middle, high, choice, empty].filter((one) => one !== undefined) };
  }
  const bracket = BRACKET.exec(text)?.groups;
  if (bracket !== undefined) {
    const { before = '', inside = '', after = '' } = bracket;
    const unbracketed = inside.trim().replace(PLUS_MINUS, '').trim();
    if (PLUS_MINUS.test(inside)) return readSpread(before, `${unbracketed} ${after}`, context);
    const mean = measureOf(`${before.trim()} ${after}`, context, true);
    const spread = measureOf(inside, context, true);
    return mean && spread && readBracket(mean, spread, context);
  }
  const sign = PLUS_MINUS.exec(text.slice(end));
  if (sign) {
    const at = end + sign.index;
    return readSpread(text.slice(0, at), text.slice(at + sign[0].length), context);
  }
  const between = RANGE.exec(text.slice(end));
  if (!between) return undefined;
  const at = end + between.index;
  return readRange(text.slice(0, at), text.slice(at + between[0].length), context);
}

/** A unit after the second number holds for both. */
function sharedUnit(one: Measure, other: Measure): string | undefined {
  return one.unit ?? other.unit;
}

function readSpread(left: string, right: string, context: NumberContext): CellReading | undefined {
  const mean = measureOf(left, context, true);
  const spread = measureOf(right, context, true);
  if (mean === undefined || spread === undefined) return undefined;
  return byMark([mean, spread], context, ([value = 0, variation = 0], notes) =>
    meanWithSpread(
      { value, mean },
      { variation, spread },
      context,
      context.hasSpread ? 'plus-minus' : 'tolerance-dropped',
      notes,
    ),
  );
}

function meanWithSpread(
  { value, mean }: { value: number; mean: Measure },
  { variation, spread }: { variation: number; spread: Measure },
  context: NumberContext,
  note: NoteKind,
  notes: readonly NoteKind[],
): CellReading {
  const isRelative = context.hasSpread && spread.isPercent;
  const unit = isRelative ? mean.unit : sharedUnit(mean, spread);
  const reading = context.finish(value, unit);
  if (reading.kind !== 'value') return reading;
  if (!context.hasSpread) return addNotes(reading, [note, ...notes]);
  const spreadUnit = spread.unit ?? unit ?? context.spreadUnit;
  return {
    ...reading,
    reads: `${reading.reads} ± ${withUnit(variation, spreadUnit)}`,
    notes: [note, ...notes, ...reading.notes],
    spread: { value: variation, unit: spreadUnit },
  };
}

function readBracket(mean: Measure, spread: Measure, context: NumberContext): CellReading {
  return byMark([mean, spread], context, ([value = 0, variation = 0], notes) => {
    const dropped = addNotes(context.finish(value, sharedUnit(mean, spread)), notes);
    const both = meanWithSpread({ value, mean }, { variation, spread }, context, 'bracket', notes);
    const choices = [{ choice: 'ignore', reads: readsOf(dropped), result: dropped }, EMPTY_CHOICE];
    const asVariation = { choice: 'variation', reads: readsOf(both), result: both };
    return { kind: 'several', repair: 'bracket', choices: context.hasSpread ? [asVariation, ...choices] : choices };
  });
}

function readRange(left: string, right: string, context: NumberContext): CellReading | undefined {
  const low = measureOf(left, context, true);
  const high = measureOf(right, context, true);
  if (low === undefined || high === undefined) return undefined;
  return byMark([low, high], context, ([from = 0, to = 0], notes) => {
    const unit = sharedUnit(low, high);
    const at = (choice: string, value: number) => {
      const result = addNotes(context.finish(value, unit), notes);
      return { choice, reads: readsOf(result), result };
    };
    // Rounded, because the sum of two decimals has a rounding error in the last digit.
    const middle = Number(((from + to) / 2).toPrecision(12));
    return {
      kind: 'several',
      repair: 'range',
      choices: [at('low', Math.min(from, to)), at('middle', middle), at('high', Math.max(from, to)), EMPTY_CHOICE],
    };
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
  if (inner === undefined) return undefined;
  return {
    kind: 'several',
    repair: 'footnote',
    choices: [{ choice: 'value', reads: readsOf(inner), result: inner }, EMPTY_CHOICE],
  };
}
