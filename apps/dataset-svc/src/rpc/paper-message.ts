import type { CreateEntryResponse, Paper } from '@esd/proto/esd/dataset/v1/reference';
import type { PaperFacts } from '@esd/record/papers/paper';
import type { ChangedPaper } from '../reference/change-papers.ts';
import type { PaperEntry } from '../reference/paper.store.ts';

/** Reads the facts of a message; the service sets its other members. */
export function paperFromMessage({ id: _, source: __, updatedAt: ___, authors, ...facts }: Paper): PaperFacts {
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

export function paperToResponse({ paper, state, listsRevision }: ChangedPaper): CreateEntryResponse {
  const entry = { entry: { $case: 'paper', value: paperToMessage(paper) } } as const;
  return { outcome: { $case: 'changed', value: { entry, state, listsRevision } } };
}
