import type { ResponseAt } from '@esd/api/operations';
import { LATEST } from '@esd/api/release-name';
import { exploreOne, papersQuestion, type Question } from '@esd/dataset-client/explore-one';
import { singleFlightCache } from '@esd/dataset-client/single-flight-cache';
import type { Papers, Summary } from '@esd/pages/explore-data';
import type { Change, ChangedField, ReleasePage } from '@esd/pages/page';
import { RecordDifference_Kind, type Release } from '@esd/proto/esd/dataset/v1/releases';
import type { Filter } from '@esd/record/filter/filter';
import { features } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { parseJson } from '../dataset/parse-json.ts';
import { dayAfter, today, usageOfDays } from '../dataset/usage.ts';
import type { Call } from '../http/call.ts';
import type { Descriptions } from '../metadata/descriptions.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { polymerFacet } from './polymer-facet.ts';
import { changedFields } from './changed-fields.ts';
import { readKnown } from '../metadata/read-known.ts';
import { releaseEntry } from './release-entry.ts';

const MAX_PAPERS = 1_000;
const MAX_EXAMPLES = 10;
/** Maximum record ids per kind of change. */
const MAX_LISTED_IDS = 20;
/** Maximum characters of a changed value. */
const MAX_VALUE_LENGTH = 500;
const MAX_CHANGES = 50;
const USAGE_DAYS = 30;

const UNSTABLE: Filter = [{ kind: 'flag', key: 'isFormationStable', value: false }];

/** Creates the loader of the page of a release or of `latest`, with the release itself. Throws VERSION_NOT_FOUND. */
export function releasePages(
  { dataset, releases, usage }: Pick<Upstream, 'dataset' | 'releases' | 'usage'>,
  states: DatasetStates,
  descriptions: Descriptions,
): (name: string, call: Call) => Promise<{ page: ReleasePage; version: Release | undefined }> {
  // Cached, because it compares all records of both states and never changes.
  const changes = singleFlightCache<Change>(MAX_CHANGES);
  const changeSince = ({ identifier, state }: Release, toRevision: number, call: Call): Promise<Change> | undefined =>
    state &&
    changes(`${state.datasetId}.${identifier}.${toRevision}`, () =>
      readChange(releases, identifier, { fromRevision: state.revision, toRevision }, call),
    );
  // Today's counts still change.
  const usageUpToYesterday = async (version: string, call: Call): Promise<ReleasePage['usage']> => {
    const now = today();
    const days = { version, from: dayAfter(now, -USAGE_DAYS), to: dayAfter(now, -1) };
    try {
      const { views, downloads } = await usageOfDays(usage, days, call);
      return { views, downloads };
    } catch (error) {
      // The page omits the usage.
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  };
  return async (name, call) => {
    const [description, { releases: all }] = await Promise.all([
      descriptions.ofDataset(name, call),
      releases.listReleases({}, call),
    ]);
    const { revision, version } = description;
    const own = all.findIndex(({ identifier }) => identifier === version);
    const before = version === undefined ? all[0] : all[own + 1];
    const polymers = { $case: 'facets' as const, value: { keys: ['polymer'], limit: 1 } };
    const questions: readonly Question[] = [
      papersQuestion({ limit: MAX_PAPERS }),
      polymers,
      { $case: 'coverage', value: { by: 'isFormationStable', limit: 3 } },
      { $case: 'summary', value: {} },
    ];
    const of = { revision, atLeast: states.latest() };
    const page = {
      ...of,
      version: '',
      filter: undefined,
      questions: questions.map((question) => ({ question })),
      records: undefined,
      recordIds: [],
      once: true,
      papers: true,
      names: true,
    };
    const [{ answersJson, ...found }, ofUnstable, change, used] = await Promise.all([
      dataset.explore(page, call),
      exploreOne(dataset, { ...of, question: polymers, filter: UNSTABLE }, call),
      before && changeSince(before, revision, call),
      usageUpToYesterday(version ?? LATEST, call),
    ]);
    const [ofPapers, ofPolymers, ofStability, ofSummary] = answersJson;
    if (!ofPapers || !ofPolymers || !ofStability || !ofSummary) throw new Error('dataset-svc left out an answer');
    const { rows } = parseJson<ResponseAt<'get', '/public/dataset/coverage'>>(ofStability);
    const { total: distinct, repeats } = parseJson<Summary>(ofSummary);
    const polymer = polymerFacet(ofPolymers);
    const countOf = (value: string): number => rows.find((row) => row.value === value)?.count ?? 0;
    const filled = features.map(
      ({ feature }) => [feature, rows.reduce((sum, row) => sum + (row.filled[feature] ?? 0), 0)] as const,
    );
    const releasePage: ReleasePage = {
      kind: 'release',
      description,
      digest: all[own]?.digest,
      change,
      papers: parseJson<Papers>(ofPapers),
      known: readKnown(found),
      counts: {
        polymers: polymer.distinct,
        stable: countOf('yes'),
        unstable: countOf('no'),
        distinct,
        repeats,
        filled: Object.fromEntries(filled),
        mostFrequentPolymer: polymer.values[0],
        mostFrequentUnstablePolymer: polymerFacet(ofUnstable.answerJson).values[0],
      },
      releases: all.map(releaseEntry),
      usage: used,
    };
    return { page: releasePage, version: all[own] };
  };
}

async function readChange(
  releases: Pick<Upstream['releases'], 'diffStates'>,
  since: string,
  revisions: { fromRevision: number; toRevision: number },
  // Shared call: do not abort it when the first caller disconnects.
  { requestId, deadline }: Call,
): Promise<Change> {
  const added: { total: number; first: number[] } = { total: 0, first: [] };
  const removed: typeof added = { total: 0, first: [] };
  const examples: Change['examples'][number][] = [];
  let changed = 0;
  for await (const { differences } of releases.diffStates(
    { ...revisions, valued: MAX_EXAMPLES },
    { requestId, deadline },
  )) {
    for (const { recordId, kind, fields, changesJson } of differences) {
      if (kind === RecordDifference_Kind.KIND_CHANGED) {
        changed += 1;
        if (changesJson)
          examples.push({ recordId, total: fields.length, fields: changedFields(changesJson).map(shortenValues) });
        continue;
      }
      const count = kind === RecordDifference_Kind.KIND_ADDED ? added : removed;
      count.total += 1;
      if (count.first.length < MAX_LISTED_IDS) count.first.push(recordId);
    }
  }
  return { since, added, removed, changed, examples };
}

function shortenValues({ path, before, after }: ChangedField): ChangedField {
  return { path, before: shortenValue(before), after: shortenValue(after) };
}

function shortenValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= MAX_VALUE_LENGTH ? value : `${[...text].slice(0, MAX_VALUE_LENGTH).join('')}…`;
}
