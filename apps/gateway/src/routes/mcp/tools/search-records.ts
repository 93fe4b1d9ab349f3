import { normalized } from '@esd/api/dataset';
import { filterText, sortQuery } from '@esd/api/record-list';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { z } from 'zod';
import type { KnownRelease } from '../../../dataset/releases.ts';
import { readFilter, readQuery } from '../../../http/query.ts';
import { readFirstPart } from '../../../reads/page-reads.ts';
import { few, withoutDiameter } from '../caveats.ts';
import {
  filter,
  version,
  jsonText,
  queryOf,
  exploreQuery,
  namedStateOf,
  type ToolParts,
  someItems,
  common,
} from '../tool-parts.ts';
import { tool } from '../tool.ts';

/** The members of a record in a list, besides its numbers. */
const LISTED_FIELDS = [
  'polymerProperty.polymerComponents.polymerName',
  'solventProperty.solventComponents.solventName',
  'fiberProperty.isFormationStable',
  'researchMetadata.doi',
] as const;

const listedRecord = z.strictObject({
  recordId: z.int(),
  polymers: z.array(z.string()),
  solvents: z.array(z.string()),
  values: normalized,
  isFormationStable: z.boolean().nullable(),
  doi: z.string().nullable(),
  url: z.string(),
});
const normalizedRecord = z.looseObject({ recordId: z.int(), normalized });

export const searchRecords = ({ states, upstream, releaseNamed, commonOf }: ToolParts) =>
  tool({
    name: 'search_records',
    title: 'Search records',
    description:
      'Lists the experiments that match a filter, with their numbers in the units of the filters (`describe_dataset` lists them).',
    input: z.strictObject({
      filter,
      version,
      sort: z.string().optional().meta({
        description:
          'Up to three comma-separated features, `recordId`, `doi` or `publishedAt`; "-" before one for descending.',
      }),
      limit: z.int().min(1).max(100).default(20),
      skip: z.int().min(0).default(0),
    }),
    output: z.strictObject({ total: z.int(), records: z.array(listedRecord), ...someItems, ...common }),
    note: ({ returned, total, next }) =>
      next === null ? undefined : `Showing ${returned} of ${total}; call again with skip ${String(next['skip'])}.`,
    run: async (input, context) => {
      const { filter: conditions, version: name, sort, limit, skip } = input;
      const text = jsonText(conditions);
      const query = readQuery(queryOf({ sort, filter: text }), z.object({ sort: sortQuery, filter: filterText }));
      const of = await releaseNamed(name, context);
      const firstPart = await readFirstPart(
        upstream.dataset,
        states,
        {
          ...{ skip, limit, filter: readFilter(query.filter), sort: query.sort ?? [] },
          ...{ normalized: true, fields: [...LISTED_FIELDS] },
          named: namedStateOf(of),
        },
        context.call,
      );
      const { publicRoot: root } = context.exchange;
      const all = z.array(normalizedRecord).parse(JSON.parse(`[${Buffer.from(firstPart.recordsJson).toString()}]`));
      const list = all.map((one) => listedOf(one, root, of));
      const page = `/explore${exploreQuery({ filter: conditions, version: of?.identifier, sort, tab: 'table' })}`;
      const shownRecords = list.map((one) => ({
        isFormationStable: one.isFormationStable,
        hasDiameter: one.values.fiberDiameter !== undefined,
      }));
      const caveats = [...few(firstPart.total), ...withoutDiameter(shownRecords)];
      const end = skip + list.length;
      const hasMore = list.length > 0 && end < firstPart.total;
      return {
        total: firstPart.total,
        records: list,
        ...{ returned: list.length, skip, hasMore, next: hasMore ? { ...input, skip: end } : null },
        ...(await commonOf({ of, state: firstPart.state, page, caveats }, context)),
      };
    },
  });

function listedOf(
  { recordId, normalized: values, ...record }: z.output<typeof normalizedRecord>,
  root: string,
  of: KnownRelease | undefined,
): z.output<typeof listedRecord> {
  const { data } = parsePublicRecord(JSON.stringify({ recordId, ...record }));
  const { polymerProperty, solventProperty, fiberProperty, researchMetadata } = data;
  const isName = (name: string | undefined): name is string => name !== undefined;
  return {
    recordId,
    polymers: (polymerProperty?.polymerComponents ?? []).map(({ polymerName }) => polymerName).filter(isName),
    solvents: (solventProperty?.solventComponents ?? []).map(({ solventName }) => solventName).filter(isName),
    values,
    isFormationStable: fiberProperty?.isFormationStable ?? null,
    doi: researchMetadata?.doi ?? null,
    url: `${root}/record/${recordId}${of ? `?version=${encodeURIComponent(of.identifier)}` : ''}`,
  };
}
