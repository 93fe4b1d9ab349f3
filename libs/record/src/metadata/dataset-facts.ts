import { doiIn } from './doi.ts';

export type Creator =
  | { readonly type: 'Organization'; readonly name: string; readonly url?: string | undefined }
  | {
      readonly type: 'Person';
      readonly givenName: string;
      readonly familyName: string;
      /** With hyphens, without `https://orcid.org/`. */
      readonly orcid?: string | undefined;
      readonly affiliation?: string | undefined;
    };

/** Relations of the dataset to a work, in DataCite terms. */
export const workRelations = [
  'IsDescribedBy',
  'IsDocumentedBy',
  'IsSupplementTo',
  'IsDerivedFrom',
  'References',
] as const;

export interface RelatedWork {
  readonly relation: (typeof workRelations)[number];
  readonly type: 'DOI' | 'arXiv' | 'URL';
  /** In the form of its type: `10.5281/zenodo.1`, `arXiv:2603.27841` or a URL. */
  readonly identifier: string;
}

/** Metadata of the whole dataset that cannot be derived from its records. */
export interface DatasetFacts {
  readonly title: string;
  /** 50 to 5,000 characters, as dataset search engines require. */
  readonly description: string;
  readonly creators: readonly Creator[];
  readonly publisher: { readonly name: string; readonly url?: string | undefined };
  /** `mailto:…` or `https://…`. */
  readonly contact?: string | undefined;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly related: readonly RelatedWork[];
}

/** A part of the pages `/about` and `/privacy` that the operator wrote. */
export interface TextSection {
  readonly heading: string;
  readonly paragraphs: readonly string[];
}

/** The facts about the operator of an installation. Releases do not contain them. */
export interface OperatorFacts {
  readonly operator?:
    | { readonly name: string; readonly address?: string | undefined; readonly email?: string | undefined }
    | undefined;
  readonly about: readonly TextSection[];
  readonly privacy: readonly TextSection[];
}

/** Returns the cited name of a creator: `Family, Given` for a person. */
export function creatorName(creator: Creator): string {
  return creator.type === 'Person' ? `${creator.familyName}, ${creator.givenName}` : creator.name;
}

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

/** Returns the URL of a DOI in any accepted spelling. */
export function doiUrl(doi: string): string {
  return `https://doi.org/${(doiIn(doi) ?? doi).split('/').map(encodeURIComponent).join('/')}`;
}

export function orcidUrl(orcid: string): string {
  return `https://orcid.org/${orcid}`;
}
