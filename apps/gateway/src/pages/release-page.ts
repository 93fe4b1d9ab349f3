import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Change, ReleasePage } from '@esd/pages/page';
import type { ExploreRequest } from '@esd/proto/esd/dataset/v1/dataset';
import { RecordDifference_Kind, type Version } from '@esd/proto/esd/dataset/v1/versions';
import { features } from '@esd/record/filter/filter-keys';
import { ServiceError } from '@esd/service/errors';
import type { DatasetStates } from '../dataset/dataset-states.ts';
import { dayAfter, today, usageOfDays } from '../dataset/usage.ts';
import type { Call } from '../http/call.ts';
import type { Descriptions } from '../metadata/descriptions.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { LATEST } from '../schemas/release-name.ts';
import { papersAnswer } from './explore-answers.ts';
import { releaseEntry } from './release-entry.ts';

const MAX_PAPERS = 1_000;
const MAX_EXAMPLES = 10;
const MAX_CHANGES = 50;
const USAGE_DAYS = 30;

const counted = z.int().min(0);
const facetsAnswer = z.object({
  facets: z.object({
    polymer: z.object({ distinct: counted, values: z.array(z.object({ value: z.string(), count: counted })) }),
  }),
});
const UNSTABLE = JSON.stringify({ isFormationStable: 'no' });
const coverageAnswer = z.object({
  rows: z.array(z.object({ value: z.string().nullable(), count: counted, filled: z.record(z.string(), counted) })),
});

/** Makes what the page of a release, or of `latest`, shows, and finds the release. It throws VERSION_NOT_FOUND. */
export function releasePages(
  { dataset, versions, usage }: Pick<Upstream, 'dataset' | 'versions' | 'usage'>,
  states: DatasetStates,
  descriptions: Descriptions,
): (name: string, call: Call) => Promise<{ page: ReleasePage; version: Version | undefined }> {
  // All records of both states are compared, and the answer never changes.
  const changes = new LRUCache<string, Promise<Change>>({ max: MAX_CHANGES });
  const changeSince = (before: Version, toRevision: number, call: Call): Promise<Change> | undefined => {
    if (!before.state) return undefined;
    const { datasetId, revision: fromRevision } = before.state;
    const key = `${datasetId}.${before.identifier}.${toRevision}`;
    const known = changes.get(key);
    if (known) return known;
    const made = readChange(versions, before.identifier, { fromRevision, toRevision }, call);
    changes.set(key, made);
    made.catch(() => {
      if (changes.peek(key) === made) changes.delete(key);
    });
    return made;
  };
  // The counts of today change with each reader.
  const usageUpToYesterday = async (version: string, call: Call): Promise<ReleasePage['usage']> => {
    const now = today();
    const days = { version, from: dayAfter(now, -USAGE_DAYS), to: dayAfter(now, -1) };
    try {
      const { views, downloads } = await usageOfDays(usage, days, call);
      return { views, downloads };
    } catch (error) {
      // The page does without.
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  };
  return async (name, call) => {
    const [description, { versions: all }] = await Promise.all([
      descriptions.ofDataset(name, call),
      versions.listVersions({}, call),
    ]);
    const { revision, version } = description;
    const ask = async <Answer>(
      shape: z.ZodType<Answer>,
      question: NonNullable<ExploreRequest['question']>,
      filterJson?: string,
    ) => {
      const asked = { question, filterJson, revision, atLeast: states.seen(), version: '' };
      const { answerJson } = await dataset.explore(asked, call);
      return shape.parse(JSON.parse(Buffer.from(answerJson).toString()));
    };
    const own = all.findIndex(({ identifier }) => identifier === version);
    const before = version === undefined ? all[0] : all[own + 1];
    const polymers = { $case: 'facets' as const, value: { keys: ['polymer'], limit: 1 } };
    const [papers, { facets }, { facets: unstable }, { rows }, change, used] = await Promise.all([
      ask(papersAnswer, { $case: 'papers', value: { limit: MAX_PAPERS } }),
      ask(facetsAnswer, polymers),
      ask(facetsAnswer, polymers, UNSTABLE),
      ask(coverageAnswer, { $case: 'coverage', value: { by: 'isFormationStable', limit: 3 } }),
      before && changeSince(before, revision, call),
      usageUpToYesterday(version ?? LATEST, call),
    ]);
    const countOf = (value: string): number => rows.find((row) => row.value === value)?.count ?? 0;
    const filled = features.map(
      ({ feature }) => [feature, rows.reduce((sum, row) => sum + (row.filled[feature] ?? 0), 0)] as const,
    );
    const page: ReleasePage = {
      kind: 'release',
      description,
      digest: all[own]?.digest,
      change,
      papers,
      counts: {
        polymers: facets.polymer.distinct,
        stable: countOf('yes'),
        unstable: countOf('no'),
        filled: Object.fromEntries(filled),
        commonest: facets.polymer.values[0],
        commonestUnstable: unstable.polymer.values[0],
      },
      releases: all.map(releaseEntry),
      usage: used,
    };
    return { page, version: all[own] };
  };
}

async function readChange(
  versions: Pick<Upstream['versions'], 'diffStates'>,
  since: string,
  revisions: { fromRevision: number; toRevision: number },
  // Others may wait for this answer too: it must not end because the one who asked first has gone.
  { requestId, deadline }: Call,
): Promise<Change> {
  const counts = { added: 0, removed: 0, changed: 0 };
  const examples: Change['examples'][number][] = [];
  for await (const { differences } of versions.diffStates(revisions, { requestId, deadline })) {
    for (const { recordId, kind, fields } of differences) {
      if (kind === RecordDifference_Kind.KIND_ADDED) counts.added += 1;
      else if (kind === RecordDifference_Kind.KIND_REMOVED) counts.removed += 1;
      else {
        counts.changed += 1;
        if (examples.length < MAX_EXAMPLES) examples.push({ recordId, fields });
      }
    }
  }
  return { since, ...counts, examples };
}
