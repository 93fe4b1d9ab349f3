import { paperSources } from '@esd/record/papers/paper';
import { z } from 'zod';

export const paperAuthor = z.union([
  z.strictObject({ family: z.string(), given: z.string().optional(), orcid: z.string().optional() }),
  z.strictObject({ name: z.string().meta({ description: 'An undivided name, such as that of a group.' }) }),
]);

export const paperDoi = z
  .string()
  .meta({ description: 'The value of the category `doi`: the normalized DOI, or the text that records have instead.' });

export const paperMembers = {
  title: z.string(),
  authors: z.array(paperAuthor),
  year: z.int().optional(),
  journal: z.string().optional(),
  publisher: z.string().optional(),
  url: z.string().optional(),
} as const;

/** An entry of the list of papers. */
export const paperEntry = z.strictObject({
  id: z.int(),
  doi: paperDoi,
  ...paperMembers,
  source: z
    .enum(paperSources)
    .meta({ description: 'Whether the entry was entered, imported, or found by the resolver.' }),
  updatedAt: z.iso.datetime(),
});
