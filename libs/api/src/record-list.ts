import { z } from 'zod';
import { parseSort, sortKeyNames } from '@esd/record/filter/sort-keys';
import { parseFields } from '@esd/record/catalog/chosen-fields';
import { schemaReference } from '@esd/record/catalog/record-schema';
import { repeatsValues } from '@esd/record/filter/repeats';
import { catalogSchema } from './catalog-schema.ts';
import { integerText } from './number-text.ts';

export const SKIP = 0;

export const LIMIT = 100;

export const pageQuery = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).default(SKIP).meta({ default: SKIP }),
  limit: integerText(1, 1000).default(LIMIT).meta({ default: LIMIT }),
});

export const filterText = z
  .string()
  .meta({
    description: 'The conditions as a JSON object.',
    contentMediaType: 'application/json',
    contentSchema: schemaReference('Filter'),
  })
  .optional();

export const sortQuery = z
  .string()
  .transform((text, context) => {
    const parsed = parseSort(text);
    if (!('problem' in parsed)) return parsed.sort;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    description: `Up to three comma-separated keys, with \`-\` before a key for descending order: ${sortKeyNames.join(', ')}. Records without a value come last; ties are in ascending order of \`recordId\`.`,
  })
  .optional();

export const fieldsQuery = z
  .string()
  .transform((text, context) => {
    const parsed = parseFields(text);
    if (!('problem' in parsed)) return parsed.fields;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    description:
      'Comma-separated groups and fields of records, such as `polymerProperty,processParameter.voltage`. Fields of list items have no index. `recordId` and the units are always included.',
  })
  .optional();

const ONCE =
  'With `once`, each group of records that repeat each other counts as one record, that with the lowest `recordId`. Records repeat each other if they name the same paper and have the same published values.';

/** The parameter `repeats` of pages, exports and queries. */
export const repeatsQuery = z
  .enum(repeatsValues)
  .optional()
  .meta({ description: `${ONCE} Defaults to \`all\`.` });

/** The parameter `repeats` of every analysis. */
export const analysisRepeats = z.enum(repeatsValues).default('once').meta({ default: 'once', description: ONCE });

/** The records in a response; partial records if `fields` is given. */
export const records = z.array(z.union([catalogSchema('Record'), catalogSchema('RecordPart')]));

export const recordPage = z.strictObject({
  data: records,
  total: z.int().min(0).meta({ description: 'The total number of matching records.' }),
  skip: z.int().min(0),
  limit: z.int().min(1).max(1000),
  version: z.string().meta({ description: '`latest`, the identifier of a release, or `snapshot-` followed by an id.' }),
});

export const recordPageAfter = recordPage
  .omit({ skip: true })
  .extend({ after: z.int().min(0).meta({ description: 'The record id after which the page begins.' }) });
