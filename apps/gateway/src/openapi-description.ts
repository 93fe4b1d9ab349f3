import type { z } from 'zod';
import type { ErrorCode } from '@esd/service/errors';

/** The resources of the interface, in the order in which they are shown. */
export const tags = {
  Dataset: 'Open reads of the published records.',
  'Personal snapshots': 'States of the dataset, with a filter, under a name of the caller.',
  Downloads: 'The dataset and its versions as files without filters, and the counters.',
  'Reference lists': 'Names, units and labels that submissions must use.',
  Data: 'Submission of records, and the data of the caller.',
  Images: 'Images, uploaded first and then attached to records.',
  Accounts: 'Accounts and sessions.',
  Tokens: 'Personal access tokens; needs a session.',
  Administration: 'Accounts, roles and the audit trail; needs a session with the role ADMIN.',
  Moderation: 'Review of records; needs a session with the role MODERATOR or ADMIN.',
  Feedback: 'Feedback of anybody, for the administrators.',
  Service: 'The state of the service, and this document.',
} as const;

/** What the document says of a route beyond its shapes. */
export interface Description {
  tag: keyof typeof tags;
  summary: string;
  /** Further rules, in Markdown. */
  details?: string;
  /** What is answered when all goes well. */
  returns: string;
  /** The status of that answer, 200 unless given. */
  status?: number;
  /** Another answer that is a success too. */
  alternative?: { status: number; returns: string; answer: z.ZodType };
  /** Media types that the answer may have beside JSON, as the request asks; without a shape of JSON instead of it. */
  otherTypes?: readonly string[];
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
