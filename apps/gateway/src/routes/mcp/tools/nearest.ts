import { z } from 'zod';
import { ANALYSES } from '../../public/analysis-questions.ts';
import { ofNearest } from '../caveats.ts';
import { filter, jsonText, exploreQuery, type ToolParts, firstItems, common } from '../tool-parts.ts';
import { tool } from '../tool.ts';

export const nearest = ({ commonOf, analyze }: ToolParts) =>
  tool({
    name: 'nearest',
    title: 'Nearest experiments',
    description:
      'Finds the published experiments most similar to a recipe, with their fiber diameters and stability. It does not predict a result.',
    input: z.strictObject({
      recipe: z.record(z.string(), z.unknown()).meta({
        description:
          'Features with a number in the unit of their filter; `polymer` and `solvent` with a name, a blend such as "DMF/acetone", or a list of names, such as {"polymer": "PVDF", "voltage": 15, "tipDist": 12}.',
      }),
      k: z.int().min(1).max(50).default(20),
      filter,
    }),
    output: ANALYSES.nearest.latest.response.extend({ ...firstItems, ...common }),
    run: async ({ recipe, k, filter: conditions }, context) => {
      const parameters = { recipe: jsonText(recipe), k: String(k), filter: jsonText(conditions) };
      const { state, answer } = await analyze('nearest', parameters, undefined, context);
      const page = `/explore${exploreQuery({ filter: conditions, recipe, tab: 'nearest' })}`;
      const returned = answer.neighbors.length;
      return {
        ...answer,
        ...{ returned, hasMore: returned < answer.total, next: null },
        ...(await commonOf({ of: undefined, state, page, caveats: ofNearest(answer) }, context)),
      };
    },
  });
