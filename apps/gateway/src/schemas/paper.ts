import type { Paper } from '@esd/proto/esd/dataset/v1/reference';
import type { PaperAuthor } from '@esd/record/papers/paper';
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

export function paperEntryOf({ authors, source, updatedAt, ...entry }: Paper): z.output<typeof paperEntry> {
  const known = paperSources.find((one) => one === source);
  if (!known || !updatedAt) throw new Error(`the paper ${entry.id} has no source or time`);
  return { ...entry, authors: authorsOf(authors), source: known, updatedAt: updatedAt.toISOString() };
}

function authorsOf(authors: Paper['authors']): PaperAuthor[] {
  return authors.map(({ name, family = '', given, orcid }) =>
    name === undefined
      ? { family, ...(given === undefined ? {} : { given }), ...(orcid === undefined ? {} : { orcid }) }
      : { name },
  );
}

/** Returns the bibliographic facts of an entry. */
export function paperFactsOf({ authors, doi, title, year, journal, publisher, url }: Paper) {
  return { doi, title, authors: authorsOf(authors), year, journal, publisher, url };
}
