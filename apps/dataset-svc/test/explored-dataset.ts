import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoSubmissions } from '@esd/testing/demo';
import { createDatabase } from '@esd/testing/servers';
import fc from 'fast-check';
import { pino } from 'pino';
import { z } from 'zod';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { type FeatureReading, readFeatures } from '@esd/record/filter/feature-values';
import { type CategoryKey, categoryKeys } from '@esd/record/filter/filter-keys';
import { type Filter } from '@esd/record/filter/filter';
import { conditionHolds, type FilteredValues, filteredValues } from '@esd/record/filter/match-filter';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { recordTerms } from '@esd/record/filter/text-terms';
import { ownName, type References, resolveName } from '@esd/record/reference/reference';
import type { PaperValues } from '@esd/record/filter/paper-values';
import { isDoi } from '@esd/record/metadata/doi';
import { validateSubmission } from '@esd/record/validate/validate-submission';
import { openDatabase } from '@esd/service/database/postgres';
import { migrations } from '../migrations/index.ts';
import { type Exploration, openExplorer } from '../src/explore/explorer.ts';
import { findBodies } from '../src/dataset-log/dataset-log.store.ts';
import { logAppender } from '../src/publish/append-approved.ts';
import { openReadIndex } from '../src/read-index/read-index.ts';
import { replaceEntry } from '../src/reference/change-entry.ts';
import { importPapers } from '../src/reference/change-papers.ts';
import { openPaperReads } from '../src/explore/paper-reads.ts';
import { referencesAt } from '../src/reference/references-at.ts';
import { seedLists } from '../src/reference/seed-lists.ts';
import type { Tables } from '../src/tables.ts';

/** A public record for a check of every record. */
export interface PlainRecord extends FeatureReading {
  recordId: number;
  data: ExperimentData;
  filtered: FilteredValues;
  /** The distinct values of each category, by the names of the lists. */
  categories: Readonly<Record<CategoryKey, readonly string[]>>;
}

/** A state with all of its records. */
export interface PlainState {
  revision: number;
  references: References;
  records: PlainRecord[];
}

const odd: ExperimentData[] = [
  {},
  { polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }, { polymerName: 'PVA' }, { polymerName: 'PCL' }] } },
  { processParameter: { voltage: 0, voltageUnit: 'kV', tipCollectorDistance: 0, tipCollectorDistanceUnit: 'cm' } },
  { processParameter: { voltage: -12_000, voltageUnit: 'V' }, fiberProperty: { fiberDiameter: -3 } },
  { solutionProperty: { concentration: 10, concentrationUnit: 'g/L' }, fiberProperty: { isFormationStable: true } },
  { fiberProperty: { fiberDiameterVariation: 20, fiberDiameterVariationUnit: 'nm', isFormationStable: false } },
  { needleProperty: { needleType: '\u{1F600}', needleDefinition: { size: 'wide' } } },
  { needleProperty: { needleType: '\uFF21' }, researchMetadata: { doi: 'https://doi.org/10.1234/ABC.' } },
  { needleProperty: { needleType: '=a|b\\c' }, researchMetadata: { doi: 'https://doi.org/' } },
  { collectorProperty: { collectorType: '=' }, researchMetadata: { doi: 'doi.org/DOI:10.1234/x..' } },
  { researchMetadata: { doi: 'https://Papers.example/pii/S1' } },
  { researchMetadata: { doi: 'https://papers.example/pii/s1' } },
  { needleProperty: { needleType: 'A' }, mechanicalProperty: { fractureBehaviour: 'brittle\nor ductile' } },
  { needleProperty: { needleType: 'a' }, polymerProperty: { polymerComponents: [{ polymerName: 'Unheard|of' }] } },
  ...[90, 210, 340].map((fiberDiameter) => ({
    polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
    processParameter: { voltage: fiberDiameter / 10, voltageUnit: 'kV' },
    fiberProperty: { fiberDiameter, isFormationStable: fiberDiameter < 300 },
  })),
  { fiberProperty: { fiberDiameter: 1e300 }, processParameter: { voltage: 1e300, voltageUnit: 'kV' } },
];

/**
 * Opens a dataset with the demo, unusual records, edits, a renamed polymer, and records that are published after others with a higher
 * id. `states` contains an earlier state and the newest one.
 */
export async function openExplored(name: string) {
  const log = pino({ level: 'silent' });
  const { url, drop } = await createDatabase(name, migrations);
  const database = openDatabase<Tables>(url, 10, log);
  await seedLists(database);
  const seeds = await referencesAt(database, 1);
  const demo = demoSubmissions.flatMap((body) =>
    (validateSubmission(body, seeds, { userMetadata: 'optional' }).submission?.records ?? []).map(({ data }) => data),
  );
  const append = logAppender(database);
  const publish = (records: [recordId: number, recordRevision: number, data: ExperimentData][]) =>
    append(
      records.map(([recordId, recordRevision, data]) => ({
        recordId,
        recordRevision,
        body: JSON.stringify({ recordId, ...data }),
        data,
        approvedAt: new Date(),
      })),
    );
  const now = new Map<number, ExperimentData>();
  const publishAll = async (records: [recordId: number, recordRevision: number, data: ExperimentData][]) => {
    for (const [recordId, , data] of records) now.set(recordId, data);
    return (await publish(records)) ?? 0;
  };
  const by = { accountId: randomUUID(), requestId: 'r' };
  const papers = new Map<string, PaperValues>();
  /** Imports a paper for every third DOI of the demo, some without a year or a journal; `round` changes the values. */
  const importAll = async (round: number): Promise<void> => {
    const dois = [...new Set(demo.flatMap((data) => recordTerms(data).doi))].filter(isDoi);
    const items = dois.flatMap((doi, at) => {
      if ((at + round) % 3 === 0) return [];
      const year = at % 5 === 0 ? undefined : 2000 + (at % 7) + round;
      const journal = at % 4 === 0 ? undefined : `Journal ${(at + round) % 6}`;
      papers.set(doi, { year, journal });
      return [{ DOI: doi, title: `Paper ${at}`, issued: { 'date-parts': [[year]] }, 'container-title': journal }];
    });
    await importPapers(database, JSON.stringify(items), by);
  };
  const plainState = async (revision: number): Promise<PlainState> => {
    const references = await referencesAt(database, revision);
    const records = [...now]
      .sort(([a], [b]) => a - b)
      .map(([recordId, data]) => {
        const paper = papers.get(recordTerms(data).doi[0] ?? '');
        return {
          recordId,
          data,
          ...readFeatures(data, references),
          filtered: filteredValues(data, references, paper),
          categories: categoriesOf(data, references, paper),
        };
      });
    return { revision, references, records };
  };
  await importAll(0);
  const first = await publishAll(demo.map((data, at) => [2 * at + 2, 1, data]));
  const states = [await plainState(first)];
  const index = openReadIndex({ database, databaseUrl: url, log });
  while ((await index.state().catch(() => undefined))?.revision !== first) await sleep(20);
  const pva = resolveName(seeds, 'polymers', 'PVA');
  if (pva.kind !== 'found') throw new Error('no PVA');
  const renamed = { ...pva.entry, name: 'PVOH', aliases: [...pva.entry.aliases, 'PVA'] };
  await replaceEntry(database, { list: 'polymers', entry: renamed }, by);
  await importAll(1);
  const last = await publishAll([
    ...odd.map((data, at): [number, number, ExperimentData] => [2 * at * 50 + 1, 1, data]),
    ...demo.slice(0, 30).map((data, at): [number, number, ExperimentData] => [2 * at * 20 + 2, 2, data]),
  ]);
  states.push(await plainState(last));
  while ((await index.state().catch(() => undefined))?.revision !== last) await sleep(20);
  const bodies = {
    find: async (_: string, rowIds: readonly number[]) =>
      (await findBodies(database, rowIds)).map((body) => Buffer.from(body)),
  };
  const explorer = openExplorer(index, bodies, openPaperReads(database, bodies));
  return {
    states,
    index,
    explorer,
    /** Answers a question at a state. */
    ask: async (
      revision: number,
      filter: Filter,
      question: Exploration['questions'][number],
      once = false,
    ): Promise<unknown> => {
      const { answersJson } = await explorer.explore(
        { filter, questions: [question], version: 'v', revision, once, recordIds: [] },
        new AbortController().signal,
      );
      return z.unknown().parse(JSON.parse(String(answersJson[0])));
    },
    close: async () => {
      await index.stop();
      await database.destroy();
      await drop();
    },
  };
}

function categoriesOf(
  data: ExperimentData,
  references: References,
  paper: PaperValues | undefined,
): PlainRecord['categories'] {
  const terms = recordTerms(data);
  const stable = data.fiberProperty?.isFormationStable;
  const own = (list: 'polymers' | 'solvents' | 'morphologies' | 'instabilities', text: string): string => {
    const found = resolveName(references, list, text);
    if (found.kind !== 'found') return text;
    const target = 'sameAs' in found.entry ? found.entry.sameAs : undefined;
    return target === undefined ? ownName(list, found.entry) : own(list, target);
  };
  const values: Record<CategoryKey, readonly string[]> = {
    ...terms,
    polymer: terms.polymer.map((text) => own('polymers', text)),
    solvent: terms.solvent.map((text) => own('solvents', text)),
    morphology: terms.morphology.map((text) => own('morphologies', text)),
    instability: terms.instability.map((text) => own('instabilities', text)),
    polymerSystem: [],
    solventSystem: [],
    isFormationStable: stable === undefined ? [] : [stable ? 'yes' : 'no'],
    year: paper?.year === undefined ? [] : [String(paper.year)],
    journal: paper?.journal === undefined ? [] : [paper.journal],
  };
  for (const key of categoryKeys) values[key] = [...new Set(values[key])];
  values.polymerSystem = systemOf(values.polymer, references.lists.polymers);
  values.solventSystem = systemOf(values.solvent, references.lists.solvents);
  return values;
}

/** Joins distinct names in the order of a list; others come last, by code points. */
function systemOf(names: readonly string[], list: readonly { name: string }[]): string[] {
  const listed = list.map(({ name }) => name).filter((name) => names.includes(name));
  const others = names.filter((name) => !listed.includes(name)).sort(byCodePoint);
  return names.length === 0 ? [] : [[...listed, ...others].join('–')];
}

/** Returns a state by its position. Throws if no state has it. */
export function stateOf(states: readonly PlainState[], at: number): PlainState {
  const state = states[at];
  if (!state) throw new Error('no such state');
  return state;
}

export function matching({ records, references }: PlainState, filter: Filter): PlainRecord[] {
  return records.filter(({ filtered }) => filter.every((condition) => conditionHolds(condition, filtered, references)));
}

/** Keys with a value before the run, and the status. All other keys are results. */
const SETTINGS = [
  ...['polymer', 'solvent', 'collectorType', 'needleType', 'doi', 'year', 'journal', 'voltage', 'flowRate', 'tipDist'],
  ...['concentration', 'temp', 'humidity', 'needleDiameter', 'fieldStrength', 'solventBoilingPoint', 'status'],
  ...['solventDielectricConstant', 'solventHansenHydrogen'],
];

/** Returns the filter without its conditions on results. */
export function withoutResults(filter: Filter): Filter {
  return filter.filter(({ key }) => SETTINGS.includes(key));
}

/** Computes a quantile (type 7); NaN without numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low + (high - low) * (rank - Math.floor(rank));
}

export function byCodePoint(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => [...text].map((character) => character.codePointAt(0) ?? 0));
  for (const [at, code] of (x ?? []).entries()) {
    const other = y?.[at];
    if (other === undefined) return 1;
    if (other !== code) return code - other;
  }
  return (x?.length ?? 0) - (y?.length ?? 0);
}

const conditions = {
  polymer: fc.constantFrom('PVA', 'PVDF', 'caprolactone', 'p', 'nothing such'),
  solvent: fc.constantFrom('DMF', 'water', 'acid'),
  collectorType: fc.constantFrom('rotating', 'plate'),
  morphology: fc.constantFrom('bead', 'smooth', '='),
  isFormationStable: fc.constantFrom('yes', 'no', '=', '=yes|no'),
  doi: fc.constantFrom('10.1016', '10.1234/abc'),
  status: fc.constantFrom('PUBLISHED', 'PENDING'),
  year: fc.constantFrom('200', '=2004', '=2004|2005', '='),
  yearMin: fc.constantFrom(2001, 2004.5),
  yearMax: fc.constantFrom(2005, 2007),
  journal: fc.constantFrom('journal 2', '=Journal 3', '=', 'JOURNAL'),
  voltageMin: fc.constantFrom(-20, 0, 12, 15),
  voltageMax: fc.constantFrom(15, 18, 25),
  fiberDiameterMax: fc.constantFrom(300, 500),
  fieldStrengthMin: fc.constantFrom(0.5, 1),
};

function filterOf(value: object): Filter {
  const parsed = parseFilter(JSON.stringify(value));
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.filter;
}

/** A filter by a result, which hides runs that are not stable. */
export const thin = filterOf({ polymer: 'PVDF', fiberDiameterMax: 500 });

/** Filters with up to three keys, so that records match. */
export const filters: fc.Arbitrary<Filter> = fc
  .tuple(fc.record(conditions), fc.shuffledSubarray(Object.keys(conditions), { maxLength: 3 }))
  .map(([values, keys]) => filterOf(Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))));
