import type { ExperimentData } from '@esd/record/catalog/catalog';
import type { Feature } from '@esd/record/filter/filter-keys';
import type { DatasetFacts, OperatorFacts } from '@esd/record/metadata/dataset-facts';
import type { DatasetDescription, QueryDescription, RecordDescription } from '@esd/record/metadata/description';
import type { DocsGroupPage, DocsPage } from './api-docs.ts';
import type { ResponseAt } from '@esd/api/operations';
import type { PaperEntry, Papers, Points, ShownRecord, Summary } from './explore-data.ts';
import type { ExplorePage } from './explore-page.ts';
import type { Overview } from './overview.ts';
import type { Known } from './known.ts';
import type { RecordContext } from './record-context.ts';
import type { UnmatchedPart } from '@esd/record/search/parse-search';
import type { SearchCondition } from '@esd/record/search/search-part';

/** The features and categories of the filter. */
type Features = ResponseAt<'get', '/metadata/features'>;
export type DescribedKey = Features['features'][number];

/** The data that the gateway passes to a page, and the renderer that apps/web builds. Dates in strings are ISO 8601. */

export interface Frame {
  /** The path of the public URL, the prefix of every URL in the page; empty at the root. */
  readonly base: string;
  /** The public URL without a trailing slash; equal to `base` if it is unknown. */
  readonly root: string;
  /** The URL of the page itself; absolute if the public URL is known. */
  readonly address: string;
}

export interface ReleaseEntry {
  readonly identifier: string;
  readonly frozenAt: string;
  readonly records: number;
  readonly doi: string | null;
  readonly description: string | null;
}

export interface HomePage {
  readonly kind: 'home';
  /** Undefined if it was not available in time. */
  readonly records: number | undefined;
  /** Undefined if it was not available in time. */
  readonly overview: Overview | undefined;
  readonly known: Known;
  readonly newest: ReleaseEntry | undefined;
  /** The citation of the newest release; undefined without a release, or if it was not available in time. */
  readonly citation: string | undefined;
  /** The base URL of the API; absolute if the public URL is known. */
  readonly api: string;
  readonly hasSecurityContact: boolean;
}

export interface ReleasesPage {
  readonly kind: 'releases';
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
}

/** A changed field of a record. `before` or `after` is undefined if the field was not reported. */
export interface ChangedField {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Change {
  readonly since: string;
  readonly added: RecordCount;
  readonly removed: RecordCount;
  readonly changed: number;
  /** The first changed records, each with its first changed fields. */
  readonly examples: readonly {
    readonly recordId: number;
    readonly total: number;
    readonly fields: readonly ChangedField[];
  }[];
}

/** The number of records, and the first record numbers. */
export interface RecordCount {
  readonly total: number;
  readonly first: readonly number[];
}

interface NamedCount {
  readonly value: string;
  readonly count: number;
}

export interface ReleasePage {
  readonly kind: 'release';
  /** Describes a release, or the latest dataset. */
  readonly description: DatasetDescription;
  /** SHA-256 of the records; undefined for the latest dataset. */
  readonly digest: string | undefined;
  /** Undefined for the first release, or if there is no release. */
  readonly change: Change | undefined;
  readonly papers: Papers;
  readonly known: Known;
  readonly counts: {
    readonly polymers: number;
    readonly stable: number;
    readonly unstable: number;
    /** The number of distinct experiments. */
    readonly distinct: number;
    /** The number of records that repeat one with a lower id, and of the groups that they belong to. */
    readonly repeats: { readonly records: number; readonly groups: number };
    readonly filled: Readonly<Partial<Record<Feature, number>>>;
    readonly mostFrequentPolymer: NamedCount | undefined;
    /** The most frequent polymer of records with unstable fiber formation. */
    readonly mostFrequentUnstablePolymer: NamedCount | undefined;
  };
  /** Newest first. */
  readonly releases: readonly ReleaseEntry[];
  /** The usage in the 30 days before today; undefined if it was not available in time. */
  readonly usage: { readonly views: number; readonly downloads: number } | undefined;
}

export interface PublishedRevision {
  readonly revision: number;
  readonly publishedAt: string;
  /** The releases that contain it, newest first. */
  readonly versions: readonly string[];
  /** The changes since the previous revision; undefined for the first revision in the list. */
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
  /** The features of the record, in the units of their filters. */
  readonly normalized: Readonly<Partial<Record<Feature, number>>>;
  readonly revision: number;
  /** The releases that contain this revision, newest first. */
  readonly versions: readonly string[];
  /** Set if the record has been withdrawn after the release. */
  readonly withdrawn: Withdrawn | undefined;
  readonly context: RecordContext;
  readonly known: Known;
  /** Newest first. */
  readonly history: readonly PublishedRevision[];
}

export interface Withdrawn {
  readonly at: string;
  readonly reason: string;
}

export interface WithdrawnPage {
  readonly kind: 'withdrawn';
  /** With the releases that contain the record, newest first. */
  readonly withdrawn: Withdrawn & { readonly versions: readonly string[] };
}

/** A page that script fills. The HTML is the same for all users. */
interface ScriptedPage<Kind extends string> {
  readonly kind: Kind;
}

export type AccountPage = ScriptedPage<'account'>;
/** The form for experiments. It loads its reference data as JSON from its own URL. */
export type ContributePage = ScriptedPage<'contribute'>;
export type ModeratePage = ScriptedPage<'moderate'>;
export type ManagePage = ScriptedPage<'manage'>;

/** The features and categories of the latest dataset. */
export interface DataDictionaryPage extends Features {
  readonly kind: 'data-dictionary';
}

/** The origin of the data, and their biases at the newest state. */
export interface AboutPage {
  readonly kind: 'about';
  readonly facts: DatasetFacts;
  readonly operator: OperatorFacts;
  /** The newest release; without releases, the latest dataset. */
  readonly cited: DatasetDescription;
  readonly summary: Summary;
  readonly mostFrequentPolymer: NamedCount | undefined;
  /** The records with unstable fiber formation, by polymer and by paper. */
  readonly failures: { readonly polymers: readonly NamedCount[]; readonly papers: Papers };
  /** The features and categories without a value. */
  readonly unreported: readonly Pick<DescribedKey, 'key' | 'label'>[];
}

/** The periods for which personal data is stored, in days; 0 means permanently. */
export interface Retention {
  readonly accounts: {
    readonly auditAddressDays: number;
    readonly sessionDays: number;
    readonly endedSessionDays: number;
    readonly rememberedSessionDays: number;
    readonly sessionHours: number;
    readonly mailDays: number;
    readonly unverifiedAccountDays: number;
    readonly knownClientDays: number;
  };
  readonly submissions: {
    readonly rejectedDays: number;
    readonly submitterDays: number;
    readonly feedbackDays: number;
    readonly originDays: number;
  };
  readonly images: { readonly unattachedDays: number };
}

/** The personal data that the service stores. */
export interface PrivacyPage {
  readonly kind: 'privacy';
  readonly facts: DatasetFacts;
  readonly operator: OperatorFacts;
  readonly retention: Retention;
}

/** Fiber diameters against a setting. */
export interface DiameterFigure {
  readonly x: Feature;
  /** The color is the stability of the fiber formation. */
  readonly points: Points;
}

export interface PaperPage {
  readonly kind: 'paper';
  readonly paper: PaperEntry;
  /** The first records, ascending. */
  readonly records: readonly ShownRecord[];
  /** The number of records, also those that repeat another one. */
  readonly total: number;
  /** Undefined if no record has a number as setting. */
  readonly figure: DiameterFigure | undefined;
  readonly known: Known;
}

export interface QueryPage {
  readonly kind: 'query';
  readonly cited: QueryDescription;
  /** The conditions, as parameters of `/explore`. */
  readonly filter: Readonly<Record<string, string>>;
  readonly sort: string | undefined;
  readonly fields: string | undefined;
  /** Whether each group of records that repeat each other counts once. */
  readonly once: boolean;
  readonly papers: Papers;
  readonly figure: DiameterFigure | undefined;
  readonly known: Known;
}

/** The contributors who chose to be named, ordered by their number of published records, most first. */
export interface ContributorsPage {
  readonly kind: 'contributors';
  readonly contributors: readonly {
    readonly name: string;
    readonly affiliation?: string | undefined;
    /** In the form 0000-0002-1825-0097. */
    readonly orcid?: string | undefined;
    readonly publishedRecords: number;
  }[];
}

/** The interpretation of a search that is ambiguous or partly unknown. */
export interface SearchPage {
  readonly kind: 'search';
  readonly text: string;
  readonly conditions: readonly SearchCondition[];
  /** Ambiguous parts of the text. Each option has the path of the search with that meaning, below the base. */
  readonly choices: readonly {
    readonly text: string;
    readonly options: readonly { readonly name: string; readonly value: string; readonly address: string }[];
  }[];
  readonly ignored: readonly UnmatchedPart[];
  readonly total: number;
}

export interface FeedbackPage {
  readonly kind: 'feedback';
  readonly recordId: number | undefined;
}

export interface ErrorPage {
  readonly kind: 'error';
  readonly status: number;
  readonly title: string;
  /** Undefined for an address without a route. */
  readonly message: string | undefined;
  /** The requested address, and its last part as a text to search for; undefined unless the status is 404. */
  readonly missing: { readonly address: string; readonly search: string } | undefined;
  readonly requestId: string;
}

/** The state of the service for its users. */
export interface StatusPage {
  readonly kind: 'status';
  readonly status: PartStatus;
  /** The time of the checks. */
  readonly checkedAt: string;
  readonly parts: readonly StatusPart[];
  /** A value is null while it is unknown. */
  readonly dataset: {
    readonly revision: number | null;
    readonly records: number | null;
    readonly newestVersion: string | null;
  };
}

export type PartStatus = 'up' | 'partly' | 'down';

/** A use of the service. */
export interface StatusPart {
  readonly name: 'read' | 'download' | 'contribute' | 'account' | 'images';
  readonly status: PartStatus;
  /** The effect, what still works, and what to do; undefined if the part is up. */
  readonly message?: string | undefined;
}

/** The page that an email link opens: a form that sends the token of the link. */
export interface MailLinkPage {
  readonly kind: 'mail-link';
  readonly purpose: 'verify-email' | 'reset-password';
  /** Undefined after it was used, or if the link has no token. */
  readonly token: string | undefined;
  /** The error message, one sentence. */
  readonly problem: string | undefined;
  /** The address was verified before, perhaps by a mail scanner. */
  readonly isAlreadyVerified?: boolean;
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
  | DataDictionaryPage
  | AboutPage
  | PrivacyPage
  | PaperPage
  | QueryPage
  | ContributePage
  | FeedbackPage
  | AccountPage
  | MailLinkPage
  | ModeratePage
  | ManagePage
  | DocsPage
  | DocsGroupPage
  | StatusPage
  | ErrorPage;

/** The response header with the build of the web pages. A page of another build reloads. */
export const WEB_BUILD = 'ESD-Web-Build';

export interface Renderer {
  /** The digest of the scripts of this build. */
  readonly build: string;
  render(page: Page, frame: Frame): string;
  /** Returns the titles of the pages of records, such as "Record 17: PAN from DMF: 240 nm at 18 kV and 15 cm". */
  titlesOf(records: readonly ShownRecord[], known: Known): string[];
}
