import type { z } from 'zod';
import type { ALLOWANCES } from './allowances.ts';
import type { ErrorCode } from './error-codes.ts';

export const tags = {
  Dataset: 'Public reads of the published records.',
  Analysis: 'Counts, statistics and similar experiments, computed from the published records.',
  Assistants: 'Tools for AI assistants, by the Model Context Protocol.',
  Queries: 'Records that match a filter, stored under an id that can be cited.',
  'Personal snapshots': 'States of the dataset that the caller saved under a name, optionally with a filter.',
  Feeds: 'Atom feeds of new and corrected records, and of releases.',
  Downloads: 'The dataset and its releases as files without filters, and the usage counters.',
  'Reference lists': 'Names, units and labels that submissions must use.',
  Data: 'Submission of records, and the records of the caller.',
  Images: 'Images, which are first uploaded and then attached to records.',
  Accounts: 'Accounts and sessions.',
  Tokens: 'Personal access tokens; requires a session.',
  Administration: 'Accounts, roles and the audit trail; requires a session with the role ADMIN.',
  Moderation: 'Review of records; requires a session with the role MODERATOR or ADMIN.',
  Feedback: 'Feedback from anyone to the administrators.',
  Service: 'The state of the service, and its documentation.',
} as const;

/** Returns the name of a tag in the URL of its page of the API documentation. */
export function tagSlug(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

export interface Description {
  tag: keyof typeof tags;
  summary: string;
  /** Further rules, in Markdown. */
  details?: string;
  returns: string;
  /** The status of that response; 200 by default. */
  status?: number;
  /** A second successful response; without a schema, it has no body. */
  alternative?: { status: number; returns: string; answer?: z.ZodType };
  /** Additional media types that the request can choose; without a JSON schema, these are the only ones. */
  otherTypes?: readonly string[];
  redirects?: { status: 302 | 303 | 307; when: string };
  /** The schemas of other statuses whose bodies extend the error body. */
  otherAnswers?: Readonly<Record<number, z.ZodType>>;
  /** The schema of errors of a protocol, which have the status 400 or 404 in place of the error body. */
  protocolError?: z.ZodType;
  /** The meaning of the request headers that the route reads. */
  headers?: Readonly<Record<string, string>>;
  answerHeaders?: Readonly<Record<string, string>>;
  /** The response has an entity tag, and a client that has it gets 304. */
  revalidates?: true;
  /** Range requests are supported and get 206. */
  ranges?: true;
  /** Errors in addition to those that follow from the route's parameters, body and caller. */
  errors?: readonly ErrorCode[];
  /** A request that works with the demo dataset; query and path parameters by name. A file of a form is its name. */
  example?: { parameters?: Readonly<Record<string, string | number>>; body?: unknown };
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The treatment of credentials by an operation. `ignored`: the Authorization header is ignored. `optional`: a credential is
 * not required, but checked if present. `required`: a valid bearer is required. `session`: the bearer must be a session
 * token, not a personal access token.
 */
export type CallerMode = 'ignored' | 'optional' | 'required' | 'session';

export type MinimumRole = 'MODERATOR' | 'ADMIN';

/** The class of a request. The requests of a class share one limit. `other`: requests that match no route. */
export type LimitClass = keyof typeof ALLOWANCES.requests;

/** One operation of the HTTP interface, declared once for the gateway, the OpenAPI document, web pages, and tools. */
export interface Operation {
  method: Method;
  /** With parameters as in `/moderation/records/{id}`; in the gateway as in `/moderation/records/:id`. */
  path: string;
  caller: CallerMode;
  /** The minimum role; none by default. */
  role?: MinimumRole;
  /** The class of its rate limit; by default `reads` for GET and `submissions` for others. */
  limit?: LimitClass | 'none';
  /** Only pages of this service may send it, see `ownOriginCheck` of the gateway. */
  ownPagesOnly?: true;
  /** Whether it exists at the root only: its path under /api or with a trailing slash redirects there. */
  isAtRootOnly?: true;
  describe: Description;
  query?: z.ZodObject;
  parameters?: z.ZodObject;
  /** The schema of a JSON body that the gateway checks. */
  body?: z.ZodObject;
  isBodyOptional?: true;
  response?: z.ZodType;
}

/** Declares an operation, with the types of its members. */
export function operation<const Declared extends Operation>(declared: Declared): Declared {
  return declared;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : Readonly<Record<string, never>>;

/** The values of the query, without their text form. */
export type QueryOf<Declared extends Operation> = Output<Declared['query']>;
export type ParametersOf<Declared extends Operation> = Output<Declared['parameters']>;
export type BodyOf<Declared extends Operation> = Declared['body'] extends z.ZodObject
  ? Declared['isBodyOptional'] extends true
    ? z.output<Declared['body']> | undefined
    : z.output<Declared['body']>
  : undefined;
export type ResponseOf<Declared extends Operation> = Declared['response'] extends z.ZodType
  ? z.output<Declared['response']>
  : unknown;
