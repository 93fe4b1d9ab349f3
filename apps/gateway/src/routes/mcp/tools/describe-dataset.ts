import { featuresAnswer } from '@esd/api/reference-lists';
import { release } from '@esd/api/releases';
import { filterKeys } from '@esd/record/filter/filter-keys';
import { z } from 'zod';
import { listed } from '../../public/dataset-releases.ts';
import { few } from '../caveats.ts';
import { type ToolParts, firstItems, common } from '../tool-parts.ts';
import { tool } from '../tool.ts';

const { versionIdentifier, recordCount, createdAt, doi, license } = release.shape;
const features = featuresAnswer.shape.features;

export const describeDataset = ({ analyses, releases, facts, commonOf }: ToolParts) =>
  tool({
    name: 'describe_dataset',
    title: 'Describe the dataset',
    description:
      'Size, license and releases of the dataset, and all features, categories and filter keys with their meaning. Call it first.',
    input: z.strictObject({}),
    output: z.strictObject({
      title: z.string(),
      license: z.string(),
      records: z.int(),
      papers: z.int(),
      features,
      categories: features,
      filterKeys: z.array(z.string()),
      versions: z.array(z.strictObject({ versionIdentifier, recordCount, createdAt, doi, license })),
      ...firstItems,
      ...common,
    }),
    run: async (_input, context) => {
      const { exchange, call } = context;
      const question = { $case: 'keys', value: {} } as const;
      const keysAnswer = await analyses.find({ question, filter: [], once: true, named: undefined }, exchange, call);
      const { total, features: keys } = featuresAnswer.parse(JSON.parse(keysAnswer.body.toString()));
      const { releases: all } = await releases.listed(call);
      return {
        title: facts.title,
        license: facts.license,
        records: total,
        papers: keys.find(({ key }) => key === 'doi')?.distinct ?? 0,
        features: keys.filter(({ type }) => type === 'number'),
        categories: keys.filter(({ type }) => type === 'category'),
        filterKeys: [...filterKeys],
        versions: all.map(listed).map((one) => ({
          versionIdentifier: one.versionIdentifier,
          recordCount: one.recordCount,
          createdAt: one.createdAt,
          doi: one.doi,
          license: one.license,
        })),
        ...{ returned: all.length, hasMore: false, next: null },
        ...(await commonOf(
          { of: undefined, state: keysAnswer.state, page: '/data-dictionary', caveats: few(total) },
          context,
        )),
      };
    },
  });
