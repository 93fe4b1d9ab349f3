import type { ExperimentData } from '@esd/record/catalogue/catalogue';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { DatasetDescription, RecordDescription } from '@esd/record/metadata/description';
import type { ExplorePage } from './explore-page.ts';

/** What the gateway puts into a page, and the renderer that apps/web builds. Dates are ISO 8601 unless they are a Date. */

/** What is the same around every page. */
export interface Frame {
  /** The path of the public URL, before every address in the page; empty at the root. */
  readonly base: string;
  /** The address of the page itself, absolute where the public URL is known. */
  readonly address: string;
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
  /** Whether there is a /.well-known/security.txt. */
  readonly hasSecurityContact: boolean;
}

export interface ReleasesPage {
  readonly kind: 'releases';
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
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
  /** A release, or the dataset as it is now. */
  readonly description: DatasetDescription;
  /** SHA-256 of the records; undefined for the dataset as it is now. */
  readonly digest: string | undefined;
  /** Undefined for the first release, and without any. */
  readonly change: Change | undefined;
  readonly papers: {
    readonly distinct: number;
    readonly withoutPaper: number;
    /** The largest. */
    readonly papers: readonly PaperEntry[];
  };
  readonly counts: {
    readonly polymers: number;
    readonly stable: number;
    readonly unstable: number;
    /** Records that have a value. */
    readonly filled: Readonly<Partial<Record<Feature, number>>>;
  };
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
  /** Of the 30 days before today; undefined while it is unknown. */
  readonly usage: { readonly views: number; readonly downloads: number } | undefined;
}

export interface RecordPage {
  readonly kind: 'record';
  readonly description: RecordDescription;
  readonly record: ExperimentData;
  /** Its features in the units of their filters. */
  readonly normalized: Readonly<Partial<Record<Feature, number>>>;
  readonly revision: number;
  /** The releases that hold this revision, newest first. */
  readonly versions: readonly string[];
  /** If the record of a release has been withdrawn since. */
  readonly withdrawn: Withdrawn | undefined;
}

/** When and why a record was withdrawn. */
export interface Withdrawn {
  readonly at: string;
  readonly reason: string;
}

/** In place of a record that is public no longer. */
export interface WithdrawnPage {
  readonly kind: 'withdrawn';
  readonly withdrawn: Withdrawn;
}

/** The form in which people send experiments. What it needs to know it asks for as JSON, at its own address. */
export interface ContributePage {
  readonly kind: 'contribute';
}

export interface ErrorPage {
  readonly kind: 'error';
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly requestId: string;
}

/** The account of who is signed in, which script asks for: the page is the same for everybody. */
export interface AccountPage {
  readonly kind: 'account';
}

/** What a link in a mail opens: a form that sends the link's token. */
export interface MailLinkPage {
  readonly kind: 'mail-link';
  readonly purpose: 'verify-email' | 'reset-password';
  /** Undefined once it was used, and where the link has none. */
  readonly token: string | undefined;
  /** What went wrong, in a sentence. */
  readonly problem: string | undefined;
}

export type Page =
  | HomePage
  | ExplorePage
  | ReleasesPage
  | ReleasePage
  | RecordPage
  | WithdrawnPage
  | ContributePage
  | AccountPage
  | MailLinkPage
  | ErrorPage;

/** What the server bundle of apps/web exports. */
export interface Renderer {
  /** The whole HTML document. */
  render(page: Page, frame: Frame): string;
}
