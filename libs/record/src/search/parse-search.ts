import { isDoi, normalizeDoi } from '../metadata/doi.ts';
import { systemNames } from '../filter/filter-keys.ts';
import { fold } from '../reference/fold.ts';
import { type References } from '../reference/reference.ts';
import { namesNear, readName } from './read-names.ts';
import { rangeInWords, readQuantity } from './read-quantity.ts';
import type { ReadPart, SearchCondition } from './search-part.ts';
import { featureFacts } from '../metadata/feature-facts.ts';

export const MAX_SEARCH_LENGTH = 300;

/** A part of a search text with several meanings. */
export interface SearchChoice {
  readonly text: string;
  readonly options: readonly SearchCondition[];
}

/** A part of a search text that has no meaning, with similar names. */
export interface UnmatchedPart {
  readonly text: string;
  readonly why: string;
  readonly near: readonly string[];
}

export type SearchResult =
  | { readonly kind: 'record'; readonly recordId: number }
  | { readonly kind: 'paper'; readonly doi: string }
  | {
      readonly kind: 'filter';
      /** One per key, in text order. */
      readonly conditions: readonly SearchCondition[];
      readonly choices: readonly SearchChoice[];
      readonly leftOut: readonly UnmatchedPart[];
    };

/** Limits the time for a hostile text; no system has more names. */
const MAX_SIGNS = 8;
const RECORD = /^(?:record|experiment|no\.?|nr\.?|#)?\s*#?\s*([1-9]\d{0,14})$/i;

/** Words that have no meaning in a search text. */
const FILLERS = new Set(
  `a all an and are at by data dataset electrospinning electrospun experiment experiments fiber fibers fibre fibres for formed
   from in is made mat mats nanofiber nanofibers nanofibre nanofibres of on or record records run runs solution solutions spun
   that the this to was were with & + / | , ;`.split(/\s+/),
);

/**
 * Interprets a search text as a filter: names of the reference lists, kinds of collectors and needles, stability, and
 * quantities with a comparison or range and a unit. A number alone is a record id; a DOI alone is a paper. Parts
 * with several meanings become choices. Unknown parts do not become conditions; they are returned with similar names.
 */
export function parseSearch(text: string, references: References): SearchResult {
  const query = text.slice(0, MAX_SEARCH_LENGTH).normalize('NFC').trim();
  const [, recordId] = RECORD.exec(query) ?? [];
  if (recordId !== undefined) return { kind: 'record', recordId: Number(recordId) };
  if (isDoi(query)) return { kind: 'paper', doi: normalizeDoi(query) };

  const conditions = new Map<string, SearchCondition>();
  const choices: SearchChoice[] = [];
  const leftOut: UnmatchedPart[] = [];
  let rest = query;
  while (rest !== '') {
    const [word = rest] = /^\S+/.exec(rest) ?? [];
    const read = readPart(rest, word, references);
    const written = rest.slice(0, read?.length ?? word.length).trim();
    if (!read) {
      const signs = [...word.matchAll(/(?<=\S)[/:+](?=\S)/g)].slice(0, MAX_SIGNS).map(({ index }) => index);
      const cut = signs.findLast((at) => readName(word.slice(0, at), references)) ?? signs[0];
      if (cut !== undefined) {
        rest = `${rest.slice(0, cut)} ${rest.slice(cut + 1)}`;
        continue;
      }
      if (!FILLERS.has(fold(word))) leftOut.push(unknown(word, references));
    } else if (read.part.kind === 'condition') {
      const { condition } = read.part;
      const both = joined(conditions.get(condition.key), condition);
      if (both) conditions.set(condition.key, both);
      else
        leftOut.push({
          text: written,
          why: `It contradicts an earlier condition on ${condition.name.toLowerCase()}.`,
          near: [],
        });
    } else if (read.part.kind === 'choice') choices.push({ text: written, options: read.part.options });
    else leftOut.push({ text: written, why: read.part.why, near: read.part.near ?? [] });
    rest = rest.slice(read?.length ?? word.length).trimStart();
  }
  return { kind: 'filter', conditions: [...withSystems(conditions).values()], choices, leftOut };
}

export function searchParameters(conditions: readonly SearchCondition[]): Record<string, string> {
  return Object.fromEntries(conditions.flatMap(({ parameters }) => Object.entries(parameters)));
}

function readPart(rest: string, word: string, references: References): ReadPart | undefined {
  const name = readName(rest, references);
  // "fibers" alone means nothing; "fibers < 200 nm" is a condition.
  if (name && name.length >= word.length && !FILLERS.has(fold(rest.slice(0, name.length)))) return name;
  return readQuantity(rest, references);
}

function unknown(word: string, references: References): UnmatchedPart {
  const text = word.replace(/[,;.]+$/, '') || word;
  const near = namesNear(text, references);
  return { text, why: `No match for “${text}”.`, near };
}

/** Makes alternative systems of names that a text has in addition to systems: "DMF or DMF/acetone". */
function withSystems(conditions: ReadonlyMap<string, SearchCondition>): ReadonlyMap<string, SearchCondition> {
  const merged = new Map(conditions);
  for (const system of ['polymerSystem', 'solventSystem'] as const) {
    const [names, systems] = [merged.get(systemNames[system]), merged.get(system)];
    if (!names || !systems) continue;
    const { [names.key]: text = '' } = names.parameters;
    const both = joined({ ...names, parameters: { [system]: text } }, systems);
    if (!both) continue;
    merged.delete(names.key);
    merged.set(system, both);
  }
  return merged;
}

/** Merges two conditions on one key; undefined if they contradict each other. */
function joined(before: SearchCondition | undefined, next: SearchCondition): SearchCondition | undefined {
  if (!before) return next;
  const facts = featureFacts.find(({ feature }) => feature === next.key);
  if (facts) {
    const parameters = { ...before.parameters, ...next.parameters };
    const [min, max] = [parameters[facts.min], parameters[facts.max]].map((bound) =>
      bound === undefined ? undefined : Number(bound),
    );
    if (min !== undefined && max !== undefined && min > max) return undefined;
    return { ...next, parameters, value: rangeInWords({ min, max }, facts.unit) };
  }
  const [own = '', others = ''] = [before.parameters[next.key], next.parameters[next.key]];
  if (own === others) return before;
  // Kinds of devices are text conditions; a filter has only one per key.
  if (!own.startsWith('=') || !others.startsWith('=')) return undefined;
  return {
    ...next,
    parameters: { [next.key]: `${own}|${others.slice(1)}` },
    value: `${before.value} or ${next.value}`,
  };
}
