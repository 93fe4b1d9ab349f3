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
