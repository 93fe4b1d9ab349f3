import { isDoi, isWebAddress } from '../metadata/doi.ts';
import { report } from '../reference/check-entry.ts';
import { describe, type ValidationProblem } from '../validate/problems.ts';
import { isObject } from '../validate/is-object.ts';
import { checkPaper } from './check-paper.ts';
import type { CitedPaper, PaperAuthor, PaperFacts } from './paper.ts';

const NAMES = {
  doi: 'DOI',
  authors: 'author',
  year: 'issued',
  journal: 'container-title',
  url: 'URL',
} as const satisfies Partial<Record<keyof PaperFacts, string>>;

/**
 * Reads an item of CSL-JSON (Citation Style Language 1.0.2) and reports all problems, with the names of its members. A paper without
 * `DOI` is identified by its `URL`. Unknown members are ignored.
 */
export function readCslItem(item: unknown): { paper: PaperFacts; problems: ValidationProblem[] } {
  const check = { problems: [] as ValidationProblem[] };
  if (!isObject(item)) {
    report(check, '', 'WRONG_TYPE', `Expected an object with the members of a paper, got ${describe(item)}.`);
    return { paper: { doi: '', title: '', authors: [] }, ...check };
  }
  const textOf = (member: string, holder = item, path = member): string | undefined => {
    const value = holder[member];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    report(check, path, 'WRONG_TYPE', `\`${path}\` must be a string, got ${describe(value)}.`);
    return undefined;
  };
  const written = textOf('DOI')?.trim() ?? '';
  const url = textOf('URL')?.trim();
  const { paper, problems } = checkPaper(
    {
      doi: written === '' ? (url ?? '') : written,
      title: textOf('title') ?? '',
      authors: readAuthors(check, item['author'], textOf),
      year: readYear(check, item['issued']),
      journal: textOf('container-title'),
      publisher: textOf('publisher'),
      url: written === '' ? undefined : url,
    },
    NAMES,
  );
  // A member of the wrong type is not missing as well.
  const isNew = ({ path }: ValidationProblem): boolean => !check.problems.some((wrong) => path.startsWith(wrong.path));
  return { paper, problems: [...check.problems, ...problems.filter(isNew)] };
}

type TextOf = (member: string, holder: Readonly<Record<string, unknown>>, path: string) => string | undefined;

function readAuthors(check: { problems: ValidationProblem[] }, authors: unknown, textOf: TextOf): PaperAuthor[] {
  if (authors === undefined || authors === null) return [];
  if (!Array.isArray(authors)) {
    report(check, 'author', 'WRONG_TYPE', `\`author\` must be an array, got ${describe(authors)}.`);
    return [];
  }
  return authors.map((author: unknown, at): PaperAuthor => {
    const path = `author[${at}]`;
    if (!isObject(author)) {
      report(check, path, 'WRONG_TYPE', `\`${path}\` must be an object, got ${describe(author)}.`);
      return { family: '' };
    }
    // Crossref writes the names of groups as `name`.
    const literal = textOf('literal', author, `${path}.literal`) ?? textOf('name', author, `${path}.name`);
    if (literal !== undefined) return { name: literal };
    return {
      family: textOf('family', author, `${path}.family`) ?? '',
      given: textOf('given', author, `${path}.given`),
      orcid: textOf('ORCID', author, `${path}.ORCID`),
    };
  });
}

/** Returns the first number of `issued.date-parts`, a number or its digits. */
function readYear(check: { problems: ValidationProblem[] }, issued: unknown): number | undefined {
  const parts = isObject(issued) ? issued['date-parts'] : undefined;
  const first: unknown = Array.isArray(parts) ? parts[0] : undefined;
  const year: unknown = Array.isArray(first) ? first[0] : undefined;
  if (year === undefined || year === null || typeof year === 'number') return year ?? undefined;
  if (typeof year === 'string' && /^\s*-?\d+\s*$/.test(year)) return Number(year);
  report(check, 'issued', 'WRONG_TYPE', `\`issued.date-parts[0][0]\` must be a year, got ${describe(year)}.`);
  return undefined;
}

/** Returns an item of CSL-JSON; `readCslItem` reads it as the same paper. */
export function cslItem(paper: CitedPaper): object {
  const { doi, title, authors, year, journal, publisher, url } = paper;
  const isAddress = !isDoi(doi) && isWebAddress(doi) && url === undefined;
  return {
    id: doi,
    type: 'article-journal',
    ...(isAddress ? {} : { DOI: doi }),
    ...(title === undefined ? {} : { title }),
    author: authors.map((author) =>
      'name' in author
        ? { literal: author.name }
        : {
            family: author.family,
            ...(author.given === undefined ? {} : { given: author.given }),
            ...(author.orcid === undefined ? {} : { ORCID: `https://orcid.org/${author.orcid}` }),
          },
    ),
    ...(year === undefined ? {} : { issued: { 'date-parts': [[year]] } }),
    ...(journal === undefined ? {} : { 'container-title': journal }),
    ...(publisher === undefined ? {} : { publisher }),
    ...(isAddress ? { URL: doi } : url === undefined ? {} : { URL: url }),
  };
}
