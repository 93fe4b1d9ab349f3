import type * as analyses from './analyses.ts';
import type * as accounts from './accounts.ts';
import type * as administration from './administration.ts';
import type * as feedback from './feedback.ts';
import type * as messages from './messages.ts';
import type * as moderation from './moderation.ts';
import type * as contributors from './contributors.ts';
import type * as datasetMetadata from './dataset-metadata.ts';
import type * as datasetPages from './dataset-pages.ts';
import type * as downloads from './downloads.ts';
import type * as feeds from './feeds.ts';
import type * as files from './files.ts';
import type * as service from './service.ts';
import type * as dataset from './dataset.ts';
import type * as images from './images.ts';
import type * as papers from './papers.ts';
import type * as queries from './queries.ts';
import type * as referenceEntries from './reference-entries.ts';
import type * as referenceLists from './reference-lists.ts';
import type * as sheets from './sheets.ts';
import type * as submissions from './submissions.ts';
import type * as usage from './usage.ts';
import type { Method, Operation, ParametersOf, ResponseOf } from './operation.ts';
import type * as ownData from './own-data.ts';
import type * as releases from './releases.ts';
import type * as sessions from './sessions.ts';
import type * as snapshots from './snapshots.ts';
import type * as tokens from './tokens.ts';
import type * as twoFactor from './two-factor.ts';

type Modules =
  | typeof accounts
  | typeof analyses
  | typeof administration
  | typeof feedback
  | typeof messages
  | typeof moderation
  | typeof ownData
  | typeof releases
  | typeof sessions
  | typeof snapshots
  | typeof tokens
  | typeof twoFactor
  | typeof contributors
  | typeof dataset
  | typeof service
  | typeof files
  | typeof feeds
  | typeof downloads
  | typeof datasetPages
  | typeof datasetMetadata
  | typeof images
  | typeof papers
  | typeof queries
  | typeof referenceEntries
  | typeof referenceLists
  | typeof sheets
  | typeof submissions
  | typeof usage;

type MembersOf<Module> = Module extends unknown ? Module[keyof Module] : never;
type Members = MembersOf<Modules>;
/** An operation, or one of several that a member declares. */
type Declared =
  | Extract<Members, Operation>
  | Extract<MembersOf<Extract<Members, { latest: Operation } | { add: Operation }>>, Operation>;

/** The paths that have an operation with this method. */
export type PathOf<Used extends Method> = Extract<Declared, { method: Used }>['path'];

type At<Used extends Method, Path> = Extract<Declared, { method: Used; path: Path }>;

/** The values in place of the parameters of a path. */
export type ParametersAt<Used extends Method, Path> = ParametersOf<At<Used, Path>>;

/** The body of the response of an operation. */
export type ResponseAt<Used extends Method, Path> = ResponseOf<At<Used, Path>>;
