/** An author of a paper: a person, or an undivided name, such as that of a group. */
export type PaperAuthor =
  | {
      readonly family: string;
      readonly given?: string | undefined;
      /** With hyphens, without `https://orcid.org/`. */
      readonly orcid?: string | undefined;
    }
  | { readonly name: string };

/** The bibliographic facts of a paper. */
export interface PaperFacts {
  /** The value of the category `doi`: the normalized DOI, or the text that records give in its place. */
  readonly doi: string;
  readonly title: string;
  readonly authors: readonly PaperAuthor[];
  readonly year?: number | undefined;
  readonly journal?: string | undefined;
  readonly publisher?: string | undefined;
  readonly url?: string | undefined;
}

/** A paper of a citation file. Its title is absent if neither the list nor a record gives one. */
export type CitedPaper = Omit<PaperFacts, 'title'> & { readonly title?: string | undefined };

export const paperSources = ['entered', 'imported', 'resolver'] as const;
export type PaperSource = (typeof paperSources)[number];

/** The facts of a paper in a few words. Unknown facts are absent. */
export interface PaperSummary {
  /** The value of the category `doi`. */
  readonly doi: string;
  readonly title?: string | undefined;
  /** Such as "Reneker and Chun" or "Baji et al.". */
  readonly authors?: string | undefined;
  readonly year?: number | undefined;
  readonly journal?: string | undefined;
}

export function summarizePaper({
  doi,
  title,
  authors = [],
  year,
  journal,
}: Omit<CitedPaper, 'authors'> & { authors?: CitedPaper['authors'] | undefined }) {
  return { doi, title, authors: authorsText(authors), year, journal } satisfies PaperSummary;
}

function authorsText(authors: readonly PaperAuthor[]): string | undefined {
  const [first, second, ...others] = authors.map((author) => ('name' in author ? author.name : author.family));
  if (second === undefined || others.length === 0) return second === undefined ? first : `${first} and ${second}`;
  return `${first} et al.`;
}
