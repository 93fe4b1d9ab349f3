import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { DatasetDescription, RecordDescription } from '@esd/record/metadata/description';
import type { ExplorePage } from './explore-page.ts';
import type { Overview } from './overview.ts';
import type { Papers } from './papers.ts';
import type { RecordContext } from './record-context.ts';
import type { LeftOut } from '@esd/record/search/understand';
import type { SearchCondition } from '@esd/record/search/search-part';

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
  /** Undefined while it is unknown. */
  readonly overview: Overview | undefined;
  readonly newest: ReleaseEntry | undefined;
  /** How to cite the newest release; undefined without one and while it is unknown. */
  readonly citation: string | undefined;
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

/** A field of a record that is another than before; undefined where it was or is not reported. */
export interface ChangedField {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is another than in the release before. */
export interface Change {
  readonly since: string;
  readonly added: RecordCount;
  readonly removed: RecordCount;
  readonly changed: number;
  /** The first of those that changed, with the first of their fields. */
  readonly examples: readonly {
    readonly recordId: number;
    readonly total: number;
    readonly fields: readonly ChangedField[];
  }[];
}

/** How many records, and the ids of the first of them. */
export interface RecordCount {
  readonly total: number;
  readonly first: readonly number[];
}

/** A value of a category, and how many records have it. */
interface NamedCount {
  readonly value: string;
  readonly count: number;
}

export interface ReleasePage {
  readonly kind: 'release';
  /** A release, or the dataset as it is now. */
  readonly description: DatasetDescription;
  /** SHA-256 of the records; undefined for the dataset as it is now. */
  readonly digest: string | undefined;
  /** Undefined for the first release, and without any. */
  readonly change: Change | undefined;
  readonly papers: Papers;
  readonly counts: {
    readonly polymers: number;
    readonly stable: number;
    readonly unstable: number;
    /** Records that are like another one in every value that can be filtered, and groups of such; null where it is unknown. */
    readonly repeats: { readonly records: number; readonly groups: number } | null;
    /** Records that have a value. */
    readonly filled: Readonly<Partial<Record<Feature, number>>>;
    /** The most frequent polymer. */
    readonly commonest: NamedCount | undefined;
    /** The polymer that most records without stable fiber formation are of. */
    readonly commonestUnstable: NamedCount | undefined;
  };
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
  /** Of the 30 days before today; undefined while it is unknown. */
  readonly usage: { readonly views: number; readonly downloads: number } | undefined;
}

/** A revision of a record that was published. */
export interface PublishedRevision {
  readonly revision: number;
  readonly publishedAt: string;
  /** The releases that hold it, newest first. */
  readonly versions: readonly string[];
  /** What it changed in the one before; undefined for the first that is told. */
  readonly changes:
    | {
        readonly total: number;
        readonly first: readonly ChangedField[];
      }
    | undefined;
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
  readonly context: RecordContext;
  /** Newest first. */
  readonly history: readonly PublishedRevision[];
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

/** A page for moderators or administrators: the same for all, filled by its script for who is signed in. */
interface StaffPage<Kind extends string> {
  readonly kind: Kind;
}

export type ModeratePage = StaffPage<'moderate'>;
export type ManagePage = StaffPage<'manage'>;

/** Who sent experiments and wants to be named, those with the most published records first. */
export interface ContributorsPage {
  readonly kind: 'contributors';
  readonly contributors: readonly {
    readonly name: string;
    readonly affiliation?: string | undefined;
    /** As in 0000-0002-1825-0097. */
    readonly orcid?: string | undefined;
    readonly publishedRecords: number;
  }[];
}

/** The form in which people send experiments. What it needs to know it asks for as JSON, at its own address. */
export interface ContributePage {
  readonly kind: 'contribute';
}

/** How a text of the search box was understood, where that is not plain. */
export interface SearchPage {
  readonly kind: 'search';
  readonly text: string;
  readonly conditions: readonly SearchCondition[];
  /** What has several meanings, each with the address, below the root, of the search with that meaning. */
  readonly choices: readonly {
    readonly text: string;
    readonly options: readonly { readonly name: string; readonly value: string; readonly address: string }[];
  }[];
  readonly leftOut: readonly LeftOut[];
  /** Records that satisfy the conditions. */
  readonly total: number;
}

/** The form for feedback. */
export interface FeedbackPage {
  readonly kind: 'feedback';
  /** The record that it is about. */
  readonly recordId: number | undefined;
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
  | SearchPage
  | ExplorePage
  | ReleasesPage
  | ReleasePage
  | RecordPage
  | WithdrawnPage
  | ContributorsPage
  | ContributePage
  | FeedbackPage
  | AccountPage
  | MailLinkPage
  | ModeratePage
  | ManagePage
  | ErrorPage;

/** What the server bundle of apps/web exports. */
export interface Renderer {
  /** The whole HTML document. */
  render(page: Page, frame: Frame): string;
}
