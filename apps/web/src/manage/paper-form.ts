import type { ResponseAt } from '@esd/api/operations';

type Author = ResponseAt<'get', '/metadata/papers'>['data'][number]['authors'][number];

/** Writes an author on one line: `Family, Given (ORCID)`; an undivided name in quotes. */
export function authorText(author: Author): string {
  if ('name' in author) return `"${author.name}"`;
  const { family, given, orcid } = author;
  return `${family}${given === undefined ? '' : `, ${given}`}${orcid === undefined ? '' : ` (${orcid})`}`;
}

/** Reads a line of `authorText`. */
export function readAuthor(line: string): Author {
  const [, name] = /^"(.*)"$/.exec(line) ?? [];
  if (name !== undefined) return { name };
  const [, names = '', orcid] = /^(.*?)(?:\s*\(([\dX-]+)\))?$/i.exec(line) ?? [];
  const [family = '', ...given] = names.split(',');
  const rest = given.join(',').trim();
  return {
    family: family.trim(),
    ...(rest === '' ? {} : { given: rest }),
    ...(orcid === undefined ? {} : { orcid }),
  };
}
