import { z } from 'zod';
import { integerText } from './number-text.ts';

export const pagedQuery = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).default(0).meta({ default: 0 }),
  limit: integerText(1, 1000).default(100).meta({ default: 100 }),
});

export function pagedResponse<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    data: z.array(item),
    total: z.int().min(0).meta({ description: 'The total number of matching items.' }),
    skip: z.int().min(0),
    limit: z.int().min(1).max(1000),
  });
}

export const pagedHeaders = {
  Link: 'URLs of the pages `first`, `prev`, `next` and `last` (RFC 8288).',
} as const;
