import { analysisRepeats as repeats } from '@esd/api/record-list';
import { z } from 'zod';
import { ANALYSES } from '../../public/analysis-questions.ts';
import { ofSummary } from '../caveats.ts';
import { filter, version, common, jsonText, exploreQuery, type ToolParts } from '../tool-parts.ts';
import { tool } from '../tool.ts';

export const summarize = ({ releaseNamed, commonOf, analyze }: ToolParts) =>
  tool({
    name: 'summarize',
    title: 'Summarize matching records',
    description:
      'Counts the records and papers that match a filter, how many runs were stable, and the tried runs that a filter by a result hides.',
    input: z.strictObject({ filter, version, repeats }),
    output: ANALYSES.summary.latest.response.extend(common),
    run: async ({ filter: conditions, version: name, repeats: repeated }, context) => {
      const of = await releaseNamed(name, context);
      const parameters = { filter: jsonText(conditions), repeats: repeated };
      const { state, answer } = await analyze('summary', parameters, of, context);
      const page = `/explore${exploreQuery({ filter: conditions, version: of?.identifier, repeats: repeated })}`;
      return { ...answer, ...(await commonOf({ of, state, page, caveats: ofSummary(answer) }, context)) };
    },
  });
