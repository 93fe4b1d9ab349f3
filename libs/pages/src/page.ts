import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import type { Feature } from '@esd/record/filter/filter-keys';

/** What the gateway puts into a page, and the renderer that apps/web builds. Dates are ISO 8601, addresses begin with `frame.base`. */

/** What is the same around every page. */
export interface Frame {
  /** The path of the public URL, before every address in the page; empty at the root. */
  readonly base: string;
  /** The address of the page itself, absolute where the public URL is known. */
  readonly address: string;
  /** For the head: metadata of what the page is about. */
  readonly head?: Head;
}

export interface Head {
  /** schema.org JSON-LD. */
  readonly jsonLd?: string;
  /** `meta` elements by name, in order; a name may occur more than once. */
  readonly meta?: readonly (readonly [name: string, content: string])[];
}

/** A release in a list. */
export interface ReleaseEntry {
  readonly identifier: string;
  readonly frozenAt: string;
  readonly records: number;
  readonly doi: string | null;
  readonly description: string | null;
}

export interface HomePage {
  readonly kind: 'home';
  /** Undefined while it is unknown. */
  readonly records: number | undefined;
  readonly newest: ReleaseEntry | undefined;
  /** Where the API is, absolute where the public URL is known. */
  readonly api: string;
}

export interface ReleasesPage {
  readonly kind: 'releases';
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
}

/** A stored file of a release, or a download of the latest dataset. */
export interface FileLink {
  readonly name: string;
  readonly what: string;
  readonly address: string;
  /** Undefined for what is made when it is asked for. */
  readonly stored: { readonly bytes: number; readonly sha256: string } | undefined;
}

/** What is another than in the release before. */
export interface Change {
  readonly since: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** The first of those that changed. */
  readonly examples: readonly { readonly recordId: number; readonly fields: readonly string[] }[];
}

/** What a paper gave to the dataset. */
export interface PaperEntry {
  /** The normalized DOI, or the text that stands in its place. */
  readonly doi: string;
  readonly records: number;
  readonly polymers: readonly string[];
  readonly unstable: number;
  /** In nm. */
  readonly fiberDiameter: { readonly min: number; readonly max: number } | null;
}

export interface ReleasePage {
  readonly kind: 'release';
  /** The identifier of a release, or `latest`. */
  readonly version: string;
  /** Null for latest, which is not frozen. */
  readonly frozenAt: string | null;
  readonly isNewest: boolean;
  readonly doi: string | null;
  readonly license: string | null;
  readonly description: string | null;
  readonly records: number;
  /** SHA-256 of the records; null for latest. */
  readonly digest: string | null;
  readonly citation: string;
  readonly files: readonly FileLink[];
  /** Null for the first release and for latest without one. */
  readonly change: Change | null;
  readonly papers: {
    readonly distinct: number;
    readonly withoutPaper: number;
    /** The largest. */
    readonly rows: readonly PaperEntry[];
  };
  readonly polymers: number;
  readonly stable: number;
  readonly unstable: number;
  /** How many records have a value, by what. */
  readonly filled: readonly { readonly what: string; readonly count: number }[];
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
}

export interface RecordPage {
  readonly kind: 'record';
  readonly recordId: number;
  /** `latest` or the identifier of a release. */
  readonly version: string;
  readonly record: ExperimentData;
  /** Its features in the units of their filters. */
  readonly normalized: Readonly<Partial<Record<Feature, number>>>;
  readonly revision: number;
  readonly publishedAt: string;
  /** The releases that hold this revision, newest first. */
  readonly versions: readonly string[];
  readonly citation: string;
}

export interface ErrorPage {
  readonly kind: 'error';
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly requestId: string;
}

export type Page = HomePage | ReleasesPage | ReleasePage | RecordPage | ErrorPage;

/** What the server bundle of apps/web exports. */
export interface Renderer {
  /** The whole HTML document. */
  render(page: Page, frame: Frame): string;
}
