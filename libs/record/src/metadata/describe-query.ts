import { type Condition, isPublic } from '../filter/filter.ts';
import { MAX_BODY_FILTER_LENGTH, MAX_FILTER_LENGTH, parseFilter } from '../filter/parse-filter.ts';
import type { DatasetFacts } from './dataset-facts.ts';
import { oneLine, type QueryDescription, stateName } from './description.ts';
import { fold } from '../reference/fold.ts';
import { withUnit } from '../units/units.ts';
import { isObject } from '../validate/is-object.ts';
import { featureFacts } from './feature-facts.ts';

type Found = Pick<QueryDescription, 'version' | 'revision' | 'recordCount' | 'digest'> & {
  /** Whether each group of records that repeat each other counts once. */
  readonly once: boolean;
};

const MAX_WORDS_LENGTH = 200;

/** Returns title and description (50 to 5,000 characters) of a public query. `filterJson` is the filter as sent. */
export function describeQuery(
  filterJson: string,
  found: Found,
  { title }: Pick<DatasetFacts, 'title'>,
): { title: string; description: string } {
  const { recordCount, digest, once } = found;
  const [inTitle, inText] = once
    ? [', repeats counted once', ' Of each group of records that repeat each other, it has the one with the lowest id.']
    : ['', ''];
  const filter = filterJson.length > MAX_FILTER_LENGTH ? `${filterJson.slice(0, MAX_FILTER_LENGTH)}…` : filterJson;
  const count = `${recordCount} ${recordCount === 1 ? 'record' : 'records'}`;
  return {
    title: `${title}: ${count}${filterWords(filterJson)}${inTitle}`,
    description: `${count} of “${title}” (${stateName(found)}) found by the filter ${filter}.${inText} The result is frozen; the SHA-256 digest of the record hashes is ${digest}.`,
  };
}

/** Describes a filter after the noun `records`, such as " with voltage at least 15 kV"; empty for a filter without conditions. */
export function filterWords(filterJson: string): string {
  const parsed = parseFilter(filterJson, MAX_BODY_FILTER_LENGTH);
  // The filter was valid when it was stored.
  if ('problem' in parsed) return ' that match a filter';
  const sent: unknown = JSON.parse(filterJson);
  const words = parsed.filter.map((condition) => wordsOf(condition, sent)).filter((text) => text !== '');
  if (words.length === 0) return '';
  const all = ` with ${words.join(', ')}`;
  return all.length > MAX_WORDS_LENGTH
    ? ` that match ${words.length} ${words.length === 1 ? 'condition' : 'conditions'}`
    : all;
}

function wordsOf(condition: Condition, sent: unknown): string {
  switch (condition.kind) {
    case 'range': {
      const { key, min, max } = condition;
      const { name = key, unit = '' } = featureFacts.find(({ feature }) => feature === key) ?? {};
      const range =
        min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
      return `${name.toLowerCase()} ${withUnit(range, unit)}`;
    }
    case 'text': {
      // A condition is folded to lower case, which is not how a name is written.
      const text = isObject(sent) ? sent[condition.key] : undefined;
      const written = typeof text === 'string' && fold(text) === condition.text ? oneLine(text) : condition.text;
      return `${nameOf(condition.key)} like “${written}”`;
    }
    case 'values':
      return condition.values.length === 0
        ? `no ${nameOf(condition.key)}`
        : `${nameOf(condition.key)} ${condition.values.map((value) => `“${value}”`).join(' or ')}`;
    case 'flag':
      return `${condition.value ? 'stable' : 'unstable'} fiber formation`;
    case 'status':
      return isPublic(condition) ? '' : `status ${condition.status}`;
  }
}

function nameOf(key: string): string {
  return key === 'doi' ? 'DOI' : key.replaceAll(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}
