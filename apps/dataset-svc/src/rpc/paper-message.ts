import type { Paper } from '@esd/proto/esd/dataset/v1/reference';
import type { SentPaper } from '../reference/change-papers.ts';
import type { PaperEntry } from '../reference/paper.store.ts';

/** Reads the id and the facts of a message; the service sets its other members. */
export function paperFromMessage({ source: _, updatedAt: __, authors, ...facts }: Paper): SentPaper {
  return {
    ...facts,
    authors: authors.map(({ name, family = '', given, orcid }) =>
      name === undefined ? { family, given, orcid } : { name },
    ),
  };
}

export function paperToMessage({ authors, ...entry }: PaperEntry): Paper {
  return { ...entry, authors: authors.map((author) => ({ ...author })) };
}
