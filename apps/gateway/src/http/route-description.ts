import type { z } from 'zod';
import type { ErrorCode } from '@esd/service/errors';

/** The resources of the interface, in the order in which they are shown. */
export const tags = {
  Dataset: 'Public reads of the published records.',
  Analysis: 'Counts, statistics and similar experiments, computed from the published records.',
  Queries: 'Records that a filter found, kept under an id that can be cited.',
  'Personal snapshots': 'States of the dataset that the caller saved under a name, optionally with a filter.',
  Downloads: 'The dataset and its versions as files without filters, and the usage counters.',
  'Reference lists': 'Names, units and labels that submissions must use.',
  Data: 'Submission of records, and the records of the caller.',
  Images: 'Images, which are first uploaded and then attached to records.',
  Accounts: 'Accounts and sessions.',
  Tokens: 'Personal access tokens; requires a session.',
  Administration: 'Accounts, roles and the audit trail; requires a session with the role ADMIN.',
  Moderation: 'Review of records; requires a session with the role MODERATOR or ADMIN.',
  Feedback: 'Feedback from anyone to the administrators.',
  Service: 'The state of the service, and this document.',
} as const;

/** What the document says about a route besides its schemas. */
export interface Description {
  tag: keyof typeof tags;
  summary: string;
  /** Further rules, in Markdown. */
  details?: string;
  /** What is answered when all goes well. */
  returns: string;
  /** The status of that answer, 200 unless given. */
  status?: number;
  /** Another answer that is a success too; without a shape it has no body. */
  alternative?: { status: number; returns: string; answer?: z.ZodType };
  /** Media types that the answer may have beside JSON, as the request asks; without a shape of JSON instead of it. */
  otherTypes?: readonly string[];
  /** When the answer is a redirect to another address. */
  redirects?: { status: 307 | 308; when: string };
  /** The shapes of answers of other statuses, where they say more than every error. */
  otherAnswers?: Readonly<Record<number, z.ZodType>>;
  /** Headers of the request that the route looks at, with their meaning. */
  headers?: Readonly<Record<string, string>>;
  /** Headers that belong to the answer, with their meaning. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** The answer has an entity tag, and a caller who holds it gets 304. */
  revalidates?: true;
  /** The bytes may be stored, and a range of them is then answered with 206. */
  ranges?: true;
  /** Refusals beyond those that follow from the route's parameters, body and caller. */
  errors?: readonly ErrorCode[];
  /** A request that works against the demo dataset; parameters of query and path by name. */
  example?: { parameters?: Readonly<Record<string, string | number>>; body?: unknown };
}
