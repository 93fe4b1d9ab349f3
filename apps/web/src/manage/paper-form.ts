import type { ResponseAt } from '@esd/api/operations';

/** An entry of the list of papers. */
export type Paper = ResponseAt<'get', '/metadata/papers'>['data'][number];
type Author = Paper['authors'][number];

/** Writes an author on one line: `Family, Given (ORCID)`; an undivided name in quotes. */
export function authorText(one: Author): string {
  if ('name' in one) return `"${one.name}"`;
  const { family, given, orcid } = one;
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
