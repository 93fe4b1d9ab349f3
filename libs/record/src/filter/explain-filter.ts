import type { ExperimentData } from '../catalog/catalog.ts';
import { categoryValues, exactValues, termsOf } from './category-values.ts';
import { deviceKindOf } from './device-kinds.ts';
import { quantityOf } from './feature-values.ts';
import { features, isPaperKey, isSolventFeature } from './filter-keys.ts';
import { isPublic } from './filter.ts';
import type { Condition, Filter, RangeCondition, TextCondition, ValueCondition } from './filter.ts';
import { conditionHolds, filteredValues, numberOf } from './match-filter.ts';
import type { FilteredValues } from './match-filter.ts';
import type { PaperValues } from './paper-values.ts';
import type { References } from '../reference/reference.ts';
import { alternativesOf, jointNames, termMatcher } from './text-terms.ts';
import { withUnit } from '../units/units.ts';

export interface ConditionExplanation {
  /** The filter key; for a range, the prefix of its two keys. */
  readonly key: string;
  readonly meaning: string;
  /** The unit of `min`, `max` and of a record's `value`. */
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** The searched text in its compared form. */
  readonly text?: string;
  /** Names or labels of the matching entries, in list order. */
  readonly entries?: readonly string[];
  /** The exact values, any of which matches; empty: matches records without a value. */
  readonly values?: readonly string[];
  /** A collector or needle matches if its type contains one of these words. */
  readonly words?: readonly string[];
}

export interface ConditionOutcome extends ConditionExplanation {
  readonly holds: boolean;
  /** The record's value in `unit`; absent if it has none that can be converted. */
  readonly value?: number;
  readonly texts?: readonly string[];
  readonly reason?: string;
}

const units = new Map<RangeCondition['key'], string>(features.map(({ feature, unit }) => [feature, unit]));

const EVERY_NAME = ' A record must have each of the names that `&` joins.';
const BY_LIST = 'as the list of papers says for the DOI of the record';

/** Explains each condition of a filter with one revision of the lists. The result is JSON-serializable. */
export function explainFilter(filter: Filter, references: References): ConditionExplanation[] {
  return filter.map((condition) => explain(condition, references));
}

function explain(condition: Condition, references: References): ConditionExplanation {
  const { key } = condition;
  switch (condition.kind) {
    case 'range': {
      const { min, max } = condition;
      const unit = units.get(condition.key) ?? '1';
      const from = min === undefined ? [] : [`at least ${withUnit(min, unit)}`];
      const to = max === undefined ? [] : [`at most ${withUnit(max, unit)}`];
      const range = `\`${key}\` is ${[...from, ...to].join(' and ')}`;
      const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
      if (key === 'year') return { key, meaning: `${range}, ${BY_LIST}.`, ...bounds };
      const meaning = `${range}${unit === '1' ? '' : `; a value without a unit is read in ${unit}`}.`;
      return { key, meaning, unit, ...bounds };
    }
    case 'text':
      return explainText(condition, references);
    case 'values':
      return explainValues(condition, references);
    case 'flag':
      return { key, meaning: `Fiber formation was ${condition.value ? 'stable' : 'not stable'}.` };
    case 'status': {
      const meaning = isPublic(condition)
        ? 'Every public record.'
        : 'No record: public reads show only published records.';
      return { key, meaning, text: condition.status };
    }
  }
}

function explainText(condition: TextCondition, references: References): ConditionExplanation {
  const { key, text } = condition;
  const quoted = JSON.stringify(text);
  const { polymers, solvents, morphologies, instabilities } = references.lists;
  const alternatives = alternativesOf(condition, references);
  const matchers = alternatives.flat().map((name) => termMatcher({ ...condition, text: name }, references));
  const ofList = (what: string, all: readonly string[]): ConditionExplanation => {
    const entries = all.filter((name) => matchers.some((matches) => matches(name)));
    const every = alternatives.some(({ length }) => length > 1) ? EVERY_NAME : '';
    const meaning = `${what} that ${quoted} finds in the list: ${entries.length} of its ${all.length} entries.${every}`;
    return { key, meaning, text, entries };
  };
  switch (key) {
    case 'polymer':
      return ofList(
        'A polymer',
        polymers.map(({ name }) => name),
      );
    case 'solvent':
      return ofList(
        'A solvent',
        solvents.map(({ name }) => name),
      );
    case 'morphology':
      return ofList(
        'A morphology',
        morphologies.map(({ label }) => label),
      );
    case 'instability':
      return ofList(
        'An instability',
        instabilities.map(({ label }) => label),
      );
    case 'doi':
      return { key, meaning: `The DOI, without prefix and in lower case, contains ${quoted}.`, text };
    case 'year':
    case 'journal':
      return { key, meaning: `\`${key}\` contains ${quoted}, whatever the case, ${BY_LIST}.`, text };
    case 'collectorType':
    case 'needleType':
    case 'fractureBehaviour': {
      const kind = deviceKindOf(key, text);
      const meaning = `\`${key}\` contains ${quoted}, whatever the case`;
      if (kind === undefined) return { key, meaning: `${meaning}.`, text };
      return { key, meaning: `${meaning}, or has one of its synonyms as a word.`, text, words: kind.words };
    }
  }
}

function explainValues(condition: ValueCondition, references: References): ConditionExplanation {
  const { key } = condition;
  const values = exactValues(condition, references);
  if (values.length === 0) return { key, meaning: `The record has no \`${key}\`.`, values };
  const quoted = values.map((value) => JSON.stringify(value)).join(' or ');
  const others = condition.values.flatMap((value) => {
    const [own = value] = exactValues({ ...condition, values: [value] }, references);
    return own === value ? [] : [` The list's own name of ${JSON.stringify(value)} is ${JSON.stringify(own)}.`];
  });
  const every = values.some((value) => jointNames(key, value, references).length > 1) ? EVERY_NAME : '';
  return { key, meaning: `\`${key}\` is exactly ${quoted}.${every}${others.join('')}`, values };
}

/** Explains whether a record satisfies each condition; `paper` has the values of its paper. */
export function explainOutcomes(
  filter: Filter,
  data: ExperimentData,
  references: References,
  paper: PaperValues | undefined,
): ConditionOutcome[] {
  const values = filteredValues(data, references, paper);
  return filter.map((condition) => {
    const holds = conditionHolds(condition, values, references);
    const outcome = { ...explain(condition, references), holds, ...own(condition, values, references) };
    return holds ? outcome : { ...outcome, reason: reasonOf(condition, data, values, references) };
  });
}

function own(
  condition: Condition,
  values: FilteredValues,
  references: References,
): { value?: number; texts?: readonly string[] } {
  if (condition.kind === 'values') return { texts: categoryValues(condition.key, values, references) };
  if (condition.kind === 'text') return { texts: termsOf(condition.key, values) };
  const value = condition.kind === 'range' ? numberOf(condition.key, values) : undefined;
  return value === undefined ? {} : { value };
}

function reasonOf(condition: Condition, data: ExperimentData, values: FilteredValues, references: References): string {
  switch (condition.kind) {
    case 'range':
      return outOfRange(condition, data, numberOf(condition.key, values));
    case 'text': {
      const texts = termsOf(condition.key, values).map((text) => JSON.stringify(text));
      if (texts.length === 0) return missing(condition.key);
      return `The text ${JSON.stringify(condition.text)} does not match ${texts.join(' or ')}.`;
    }
    case 'values': {
      const texts = categoryValues(condition.key, values, references).map((text) => JSON.stringify(text));
      if (texts.length === 0) return missing(condition.key);
      return `The record's \`${condition.key}\` is ${texts.join(' and ')}.`;
    }
    case 'flag': {
      const { isFormationStable } = values;
      if (isFormationStable === undefined) return 'The record does not say whether fiber formation was stable.';
      return `The record says that fiber formation was ${isFormationStable ? 'stable' : 'not stable'}.`;
    }
    case 'status':
      return 'The record is published.';
  }
}

function missing(key: Condition['key']): string {
  if (isPaperKey(key)) return `The list of papers has no \`${key}\` for the DOI of the record.`;
  return `The record has no \`${key}\`.`;
}

function outOfRange({ key, min }: RangeCondition, data: ExperimentData, value: number | undefined): string {
  const unit = units.get(key) ?? '1';
  if (value !== undefined)
    return `The value ${withUnit(value, unit)} is ${min !== undefined && value < min ? 'below' : 'above'} the range.`;
  if (key === 'year') return missing(key);
  if (key === 'fieldStrength') {
    const parts = (['voltage', 'tipDist'] as const).filter((part) => quantityOf(data, part) === undefined);
    if (parts.length > 0) return `The record has no \`${parts.join('` and no `')}\`.`;
    return `\`voltage\` or \`tipDist\` cannot be converted, or the distance is not above 0.`;
  }
  if (key === 'needleDiameter') {
    const { needleDefinition } = data.needleProperty ?? {};
    if (needleDefinition === undefined) return 'The record has no needle definition.';
    return `No inner diameter in ${unit} can be read from \`${JSON.stringify(needleDefinition)}\`.`;
  }
  if (isSolventFeature(key)) {
    if (data.solventProperty === undefined) return 'The record has no `solvent`.';
    return 'A solvent of the record has no known value, or a blend has no positive volume ratios in one unit.';
  }
  const written = quantityOf(data, key);
  if (written === undefined) return missing(key);
  const needs = key === 'variation' ? ' without a fiber diameter' : '';
  return `The value ${[written.value, ...(written.unit === undefined ? [] : [written.unit])].join(' ')} cannot be converted to ${unit}${needs}.`;
}
