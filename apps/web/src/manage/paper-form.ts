import * as z from 'zod/mini';

const author = z.union([
  z.object({ family: z.string(), given: z.optional(z.string()), orcid: z.optional(z.string()) }),
  z.object({ name: z.string() }),
]);
type Author = z.output<typeof author>;

/** An entry of the list of papers. */
export const paper = z.object({
  id: z.number(),
  doi: z.string(),
  title: z.string(),
  authors: z.array(author),
  year: z.optional(z.number()),
  journal: z.optional(z.string()),
  publisher: z.optional(z.string()),
  url: z.optional(z.string()),
  source: z.enum(['entered', 'imported', 'resolver']),
  updatedAt: z.string(),
});
export type Paper = z.output<typeof paper>;

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
