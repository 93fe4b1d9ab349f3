/** A person or an organization that made the dataset, in the order in which they are cited. */
export type Creator =
  | { readonly type: 'Organization'; readonly name: string; readonly url?: string | undefined }
  | {
      readonly type: 'Person';
      readonly givenName: string;
      readonly familyName: string;
      /** With hyphens, without its address. */
      readonly orcid?: string | undefined;
      readonly affiliation?: string | undefined;
    };

/** How the dataset stands to a work, in the words of DataCite. */
export const workRelations = [
  'IsDescribedBy',
  'IsDocumentedBy',
  'IsSupplementTo',
  'IsDerivedFrom',
  'References',
] as const;

/** A work that the dataset as a whole is related to. */
export interface RelatedWork {
  readonly relation: (typeof workRelations)[number];
  readonly type: 'DOI' | 'arXiv' | 'URL';
  /** As its type writes it: `10.5281/zenodo.1`, `arXiv:2603.27841` or an address. */
  readonly identifier: string;
}

/** What is said of a dataset as a whole, whose it is among them. Nothing of it follows from its records. */
export interface DatasetFacts {
  readonly title: string;
  /** 50 to 5,000 characters, as search engines for datasets ask for. */
  readonly description: string;
  readonly creators: readonly Creator[];
  readonly publisher: { readonly name: string; readonly url?: string | undefined };
  /** Where questions go: `mailto:…` or `https://…`. */
  readonly contact?: string | undefined;
  readonly keywords: readonly string[];
  /** An identifier of the SPDX license list. */
  readonly license: string;
  readonly related: readonly RelatedWork[];
}

/** The name under which a creator is cited: `Family, Given` of a person. */
export function creatorName(creator: Creator): string {
  return creator.type === 'Person' ? `${creator.familyName}, ${creator.givenName}` : creator.name;
}

/** Where a work is found. */
export function workUrl({ type, identifier }: Pick<RelatedWork, 'type' | 'identifier'>): string {
  switch (type) {
    case 'DOI':
      return doiUrl(identifier);
    case 'arXiv':
      return `https://arxiv.org/abs/${identifier.replace(/^arXiv:/i, '')}`;
    case 'URL':
      return identifier;
  }
}

/** The address of a DOI in its compared form. */
export function doiUrl(doi: string): string {
  return `https://doi.org/${doi.split('/').map(encodeURIComponent).join('/')}`;
}

/** The address of an ORCID iD. */
export function orcidUrl(orcid: string): string {
  return `https://orcid.org/${orcid}`;
}
