import { z } from 'zod';
import { ReferenceList, type Lists, type Morphology, type Substance } from '@esd/proto/esd/dataset/v1/reference';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import { ServiceError } from '@esd/service/errors';
import { isCasNumber } from '@esd/record/reference/cas-number';
import type { Description } from '@esd/api/operation';
import {
  instability,
  instabilityOf,
  morphology,
  morphologyOf,
  solvent,
  solventOf,
  substance,
  substanceOf,
  unit,
  unitOf,
} from './reference-entry.ts';
import { route, type Route } from '../../http/route.ts';
import { taggedState, stateTag } from '../../http/state-tag.ts';
import type { Upstream } from '../../upstream/upstream.ts';

const morphologies = z.record(z.string(), z.array(morphology));

/** The part of the API description that differs by list. */
type ListDescription = Pick<Description, 'summary' | 'returns' | 'errors' | 'example'>;

const casQuery = z.object({
  cas: z.string().refine(isCasNumber, 'must be a CAS number with a correct check digit, such as 9002-89-5'),
});

export function metadataRoutes({ reference }: Pick<Upstream, 'reference'>): Route[] {
  /**
   * Returns a route that sends the part of a list that `select` returns, or 304 if the client already has it at the
   * newest revision. The entity tag distinguishes the parts of a list by path and `partOf`.
   */
  const listRoute = <Answer, Query extends z.ZodRawShape>(
    path: string,
    description: ListDescription,
    list: ReferenceList,
    query: z.ZodObject<Query>,
    answer: z.ZodType<Answer>,
    partOf: (query: z.output<z.ZodObject<Query>>) => string,
    select: (lists: Lists, query: z.output<z.ZodObject<Query>>) => Answer,
  ): Route =>
    route({
      method: 'get',
      path,
      caller: 'ignored',
      describe: { tag: 'Reference lists', ...description, revalidates: true },
      query,
      answer,
      handle: async ({ query, request, call }, response) => {
        const clientTags = parseEntityTags(request.headers['if-none-match']);
        const part = path.slice('/metadata/'.length) + partOf(query);
        const known = taggedState(clientTags, part);
        let page = await reference.getLists({ lists: [list], knownRevision: known?.revision }, call);
        if (!page.lists && page.datasetId !== known?.datasetId) {
          // dataset-svc omitted the list because the known revision, from a tag of another dataset, has the same number.
          page = await reference.getLists({ lists: [list] }, call);
        }
        const tag = stateTag(page, part);
        // Must precede the 304, because a missing entry is 404.
        const body = page.lists && select(page.lists, query);
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
        if (matchesEntityTag(clientTags, tag)) {
          response.status(304).end();
          return;
        }
        if (body === undefined) throw new Error('the response has no list');
        response.json(body);
      },
    });
  const whole = <Answer>(
    path: string,
    description: ListDescription,
    list: ReferenceList,
    answer: z.ZodType<Answer>,
    select: (lists: Lists) => Answer,
  ): Route => listRoute(path, description, list, z.object({}), answer, () => '', select);
  const byCasNumber = <Answer>(
    path: string,
    summary: string,
    cas: string,
    list: ReferenceList,
    entries: (lists: Lists) => Substance[],
    answer: z.ZodType<Answer>,
    answerOf: (entry: Substance, entries: readonly Substance[]) => Answer,
  ): Route =>
    listRoute(
      path,
      {
        summary,
        returns: 'The first entry with this number.',
        errors: ['ENTRY_NOT_FOUND'],
        example: { parameters: { cas } },
      },
      list,
      casQuery,
      answer,
      ({ cas }) => `.${cas}`,
      (lists, { cas }) => {
        const all = entries(lists);
        const entry = all.find(({ casNumber }) => casNumber === cas);
        if (!entry) throw new ServiceError('ENTRY_NOT_FOUND', `The list has no entry with the CAS number ${cas}.`);
        return answerOf(entry, all);
      },
    );
  const lists = ReferenceList;
  const substances = z.array(substance);
  return [
    whole(
      '/metadata/polymers',
      { summary: 'List all polymers', returns: 'The polymers, in ascending order of id.' },
      lists.REFERENCE_LIST_POLYMERS,
      substances,
      ({ polymers }) => polymers.map(substanceOf),
    ),
    byCasNumber(
      '/metadata/polymers/search',
      'Find a polymer by its CAS number',
      '9002-89-5',
      lists.REFERENCE_LIST_POLYMERS,
      ({ polymers }) => polymers,
      substance,
      substanceOf,
    ),
    whole(
      '/metadata/solvents',
      { summary: 'List all solvents', returns: 'The solvents, in ascending order of id.' },
      lists.REFERENCE_LIST_SOLVENTS,
      z.array(solvent),
      ({ solvents }) => solvents.map((entry) => solventOf(entry, solvents)),
    ),
    byCasNumber(
      '/metadata/solvents/search',
      'Find a solvent by its CAS number',
      '67-64-1',
      lists.REFERENCE_LIST_SOLVENTS,
      ({ solvents }) => solvents,
      solvent,
      solventOf,
    ),
    whole(
      '/metadata/morphologies',
      { summary: 'List the morphology labels by category', returns: 'The labels of each category.' },
      lists.REFERENCE_LIST_MORPHOLOGIES,
      morphologies,
      (all) => byCategory(all.morphologies),
    ),
    whole(
      '/metadata/units',
      { summary: 'List all units of measurement', returns: 'The units with their conversions.' },
      lists.REFERENCE_LIST_UNITS,
      z.array(unit),
      ({ units }) => units.map(unitOf),
    ),
    whole(
      '/metadata/instabilities',
      { summary: 'List the instabilities of the jet', returns: 'The labels with their categories.' },
      lists.REFERENCE_LIST_INSTABILITIES,
      z.array(instability),
      ({ instabilities }) => instabilities.map(instabilityOf),
    ),
  ];
}

function byCategory(entries: readonly Morphology[]): z.output<typeof morphologies> {
  const groups = Map.groupBy(entries, ({ category }) => category);
  return Object.fromEntries([...groups].map(([category, group]) => [category, group.map(morphologyOf)]));
}
