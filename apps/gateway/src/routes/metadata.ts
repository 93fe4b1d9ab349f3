import type { Response } from 'express';
import { z } from 'zod';
import {
  ReferenceList,
  type Instability,
  type Lists,
  type Morphology,
  type Substance,
  type Unit,
} from '@esd/proto/esd/dataset/v1/reference';
import { matchesEntityTag, parseEntityTags } from '@esd/service/entity-tag';
import { ServiceError } from '@esd/service/errors';
import { isCasNumber } from '../cas-number.ts';
import { route, type Call, type Route } from '../route.ts';
import { heldState, stateTag } from '../state-tag.ts';
import type { Upstream } from '../upstream.ts';

const substance = z.object({
  id: z.int(),
  name: z.string(),
  fullName: z.string().optional(),
  casNumber: z.string().optional(),
  abbreviation: z.string().optional(),
  aliases: z.array(z.string()),
  kind: z.string(),
  sameAs: z.string().optional(),
});

const unit = z.object({
  id: z.int(),
  unit: z.string(),
  name: z.string(),
  dimension: z.string(),
  canonical: z.string().optional(),
  factor: z.number().optional(),
  offset: z.number().optional(),
  aliases: z.array(z.string()),
});

const morphology = z.object({
  id: z.int(),
  label: z.string(),
  abbreviation: z.string().optional(),
  definition: z.string(),
  synonyms: z.array(z.string()),
});
const morphologies = z.record(z.string(), z.array(morphology));

const instability = z.object({
  id: z.int(),
  label: z.string(),
  category: z.string(),
  definition: z.string(),
  synonyms: z.array(z.string()),
});

const casQuery = z.object({
  cas: z.string().refine(isCasNumber, 'is no CAS number, such as 9002-89-5, with the right check digit'),
});

/** The reference lists. */
export function metadataRoutes({ reference }: Pick<Upstream, 'reference'>): Route[] {
  /**
   * Answers with what `select` takes from a list, or 304 when the caller's tag is of the list's newest revision.
   * `part` names what is selected.
   */
  const answerList = async (
    list: ReferenceList,
    part: string,
    select: (lists: Lists) => unknown,
    ifNoneMatch: string | undefined,
    response: Response,
    call: Call,
  ): Promise<void> => {
    const held = parseEntityTags(ifNoneMatch);
    const known = heldState(held, part);
    let answer = await reference.getLists({ lists: [list], knownRevision: known?.revision }, call);
    if (!answer.lists && answer.datasetId !== known?.datasetId) {
      // The list was left out because of a tag of another dataset, which had the same revision.
      answer = await reference.getLists({ lists: [list] }, call);
    }
    const tag = stateTag(answer, part);
    const isHeld = matchesEntityTag(held, tag);
    if (!answer.lists && !isHeld) throw new Error('an answer without the list that was asked for');
    const body = answer.lists && select(answer.lists);
    response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
    if (isHeld) response.status(304).end();
    else response.json(body);
  };
  const whole = (path: string, list: ReferenceList, select: (lists: Lists) => unknown): Route => {
    const part = path.slice('/metadata/'.length);
    return route({
      method: 'get',
      path,
      caller: 'ignored',
      handle: ({ request, call }, response) =>
        answerList(list, part, select, request.headers['if-none-match'], response, call),
    });
  };
  const byCasNumber = (path: string, list: ReferenceList, entries: (lists: Lists) => Substance[]): Route =>
    route({
      method: 'get',
      path,
      caller: 'ignored',
      query: casQuery,
      handle: ({ query: { cas }, request, call }, response) => {
        const select = (lists: Lists): z.output<typeof substance> => {
          const entry = entries(lists).find(({ casNumber }) => casNumber === cas);
          if (!entry) throw new ServiceError('ENTRY_NOT_FOUND', `No entry of the list has the CAS number ${cas}.`);
          return substanceOf(entry);
        };
        return answerList(
          list,
          `${path.slice('/metadata/'.length)}.${cas}`,
          select,
          request.headers['if-none-match'],
          response,
          call,
        );
      },
    });
  const { REFERENCE_LIST_POLYMERS, REFERENCE_LIST_SOLVENTS } = ReferenceList;
  return [
    whole('/metadata/polymers', REFERENCE_LIST_POLYMERS, ({ polymers }) => polymers.map(substanceOf)),
    byCasNumber('/metadata/polymers/search', REFERENCE_LIST_POLYMERS, ({ polymers }) => polymers),
    whole('/metadata/solvents', REFERENCE_LIST_SOLVENTS, ({ solvents }) => solvents.map(substanceOf)),
    byCasNumber('/metadata/solvents/search', REFERENCE_LIST_SOLVENTS, ({ solvents }) => solvents),
    whole('/metadata/morphologies', ReferenceList.REFERENCE_LIST_MORPHOLOGIES, (lists) =>
      byCategory(lists.morphologies),
    ),
    whole('/metadata/units', ReferenceList.REFERENCE_LIST_UNITS, ({ units }) => units.map(unitOf)),
    whole('/metadata/instabilities', ReferenceList.REFERENCE_LIST_INSTABILITIES, ({ instabilities }) =>
      instabilities.map(instabilityOf),
    ),
  ];
}

function substanceOf(entry: Substance): z.output<typeof substance> {
  const { id, name, fullName, casNumber, abbreviation, aliases, kind, sameAs } = entry;
  return { id, name, fullName, casNumber, abbreviation, aliases, kind, sameAs };
}

function unitOf(entry: Unit): z.output<typeof unit> {
  const { id, unit, name, dimension, canonical, factor, offset, aliases } = entry;
  return { id, unit, name, dimension, canonical, factor, offset, aliases };
}

function byCategory(entries: readonly Morphology[]): z.output<typeof morphologies> {
  const groups = Map.groupBy(entries, ({ category }) => category);
  return Object.fromEntries([...groups].map(([category, group]) => [category, group.map(morphologyOf)]));
}

function morphologyOf({ id, label, abbreviation, definition, synonyms }: Morphology): z.output<typeof morphology> {
  return { id, label, abbreviation, definition, synonyms };
}

function instabilityOf({ id, label, category, definition, synonyms }: Instability): z.output<typeof instability> {
  return { id, label, category, definition, synonyms };
}
