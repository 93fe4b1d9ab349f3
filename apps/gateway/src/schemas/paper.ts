import type { Paper } from '@esd/proto/esd/dataset/v1/reference';
import { type PaperAuthor, paperSources } from '@esd/record/papers/paper';
import type { z } from 'zod';
import type { paperEntry } from '@esd/api/paper';

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
