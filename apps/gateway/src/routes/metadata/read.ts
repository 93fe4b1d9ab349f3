import type { Operation, QueryOf, ResponseOf } from '@esd/api/operation';
import {
  findPolymer,
  findSolvent,
  listInstabilities,
  listMorphologies,
  listPolymers,
  listSolvents,
  listUnits,
} from '@esd/api/reference-entries';
import { ReferenceList, type Lists, type Morphology, type Substance } from '@esd/proto/esd/dataset/v1/reference';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import { ServiceError } from '@esd/service/errors';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import { taggedState, stateTag } from '../../http/state-tag.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { instabilityOf, morphologyOf, solventOf, substanceOf, unitOf } from './reference-entry.ts';

export function metadataRoutes({ reference }: Pick<Upstream, 'reference'>): Route[] {
  /**
   * Returns a route that sends the part of a list that `select` returns, or 304 if the client already has it at the
   * newest revision. The entity tag distinguishes the parts of a list by path and `partOf`.
   */
  const listRoute = <Declared extends Operation>(
    declared: Declared,
    list: ReferenceList,
    select: (lists: Lists, query: QueryOf<Declared>) => ResponseOf<Declared>,
    partOf: (query: QueryOf<Declared>) => string = () => '',
  ): Route =>
    serve(declared, {
      handle: async ({ query, request, call }, response) => {
        const clientTags = parseEntityTags(request.headers['if-none-match']);
        const part = declared.path.slice('/metadata/'.length) + partOf(query);
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
  const byCasNumber = <Declared extends typeof findPolymer | typeof findSolvent>(
    declared: Declared,
    list: ReferenceList,
    entriesOf: (lists: Lists) => Substance[],
    responseOf: (entry: Substance, entries: readonly Substance[]) => ResponseOf<Declared>,
  ): Route =>
    listRoute<Operation & Pick<Declared, 'query' | 'response'>>(
      declared,
      list,
      (lists, { cas }) => {
        const entries = entriesOf(lists);
        const entry = entries.find(({ casNumber }) => casNumber === cas);
        if (!entry) throw new ServiceError('ENTRY_NOT_FOUND', `The list has no entry with the CAS number ${cas}.`);
        return responseOf(entry, entries);
      },
      ({ cas }) => `.${cas}`,
    );
  const lists = ReferenceList;
  return [
    listRoute(listPolymers, lists.REFERENCE_LIST_POLYMERS, ({ polymers }) => polymers.map(substanceOf)),
    byCasNumber(findPolymer, lists.REFERENCE_LIST_POLYMERS, ({ polymers }) => polymers, substanceOf),
    listRoute(listSolvents, lists.REFERENCE_LIST_SOLVENTS, ({ solvents }) =>
      solvents.map((entry) => solventOf(entry, solvents)),
    ),
    byCasNumber(findSolvent, lists.REFERENCE_LIST_SOLVENTS, ({ solvents }) => solvents, solventOf),
    listRoute(listMorphologies, lists.REFERENCE_LIST_MORPHOLOGIES, ({ morphologies }) => byCategory(morphologies)),
    listRoute(listUnits, lists.REFERENCE_LIST_UNITS, ({ units }) => units.map(unitOf)),
    listRoute(listInstabilities, lists.REFERENCE_LIST_INSTABILITIES, ({ instabilities }) =>
      instabilities.map(instabilityOf),
    ),
  ];
}

function byCategory(entries: readonly Morphology[]): ResponseOf<typeof listMorphologies> {
  const groups = Map.groupBy(entries, ({ category }) => category);
  return Object.fromEntries([...groups].map(([category, group]) => [category, group.map(morphologyOf)]));
}
