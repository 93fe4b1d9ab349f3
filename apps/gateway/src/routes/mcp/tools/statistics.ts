import { featureNames } from '@esd/api/names-text';
import { analysisRepeats as repeats } from '@esd/api/record-list';
import { z } from 'zod';
import { ANALYSES } from '../../public/analysis-questions.ts';
import { ofStatistics } from '../caveats.ts';
import { filter, version, common, jsonText, exploreQuery, type ToolParts } from '../tool-parts.ts';
import { tool } from '../tool.ts';

export const statistics = ({ releaseNamed, commonOf, analyze }: ToolParts) =>
  tool({
    name: 'statistics',
    title: 'Statistics of features',
    description: 'Count, quantiles and mean of features (all by default) over the matching records, each in its unit.',
    input: z.strictObject({
      features: z.array(z.enum(featureNames)).min(1).optional(),
      filter,
      version,
      repeats,
    }),
    output: ANALYSES.statistics.latest.response.extend(common),
    run: async ({ features: names, filter: conditions, version: name, repeats: repeated }, context) => {
      const of = await releaseNamed(name, context);
      const parameters = { features: names?.join(), filter: jsonText(conditions), repeats: repeated };
      const { state, answer } = await analyze('statistics', parameters, of, context);
      const page = `/explore${exploreQuery({ filter: conditions, version: of?.identifier, repeats: repeated })}`;
      return { ...answer, ...(await commonOf({ of, state, page, caveats: ofStatistics(answer) }, context)) };
    },
  });
