import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { match as pathMatcher, type MatchFunction } from 'path-to-regexp';
import { ServiceError } from '@esd/service/errors';
import { oneOf } from '../http/requirement.ts';
import type { Route } from '../http/route.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Undefined for an unknown path. */
    match: RouteMatch | undefined;
  }
}

type Parameters = Record<string, string | string[]>;

/** The routes of the requested path. */
export interface RouteMatch {
  /** The path as the routes declare it. */
  path: string;
  /** The allowed methods, as the header `Allow` lists them. */
  allowed: readonly string[];
  /** The routes with the requested method. Several differ in `isFor`. */
  routes: readonly Route[];
  parameters: Parameters;
  /** `/api` or empty. */
  base: string;
  /** The URL below `base`. */
  url: string;
}

interface Endpoint {
  path: string;
  matches: MatchFunction<Parameters>;
  allowed: readonly string[];
  routes: readonly Route[];
}

/** The prefix under which all paths exist too. */
export const API_PREFIX = /^\/api(?=[/?]|$)/;

/**
 * Returns the function that finds the routes of a request. All paths exist at the root and under `/api`, with or without a
 * trailing slash. If several paths match, the first one in `routes` counts.
 */
export function routeTable(routes: readonly Route[]): (request: IncomingMessage) => RouteMatch | undefined {
  const endpoints = new Map<string, Endpoint[]>();
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const methods = ofPath.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    const endpoint = {
      path,
      matches: pathMatcher<Parameters>(path, { sensitive: true }),
      allowed: [...new Set(methods), 'OPTIONS'],
      routes: ofPath,
    };
    const first = firstSegment(path);
    endpoints.set(first, [...(endpoints.get(first) ?? []), endpoint]);
  }
  const withParameter = endpoints.get('') ?? [];
  for (const [first, ofSegment] of endpoints) if (first !== '') ofSegment.push(...withParameter);
  return ({ url: requested = '', method }) => {
    const [base = ''] = API_PREFIX.exec(requested) ?? [];
    const below = requested.slice(base.length);
    const url = below.startsWith('/') ? below : `/${below}`;
    const [path = ''] = url.split('?', 1);
    const routeMethod = method === 'HEAD' ? 'get' : method?.toLowerCase();
    const candidates = endpoints.get(firstSegment(path)) ?? withParameter;
    for (const { path: declared, matches, allowed, routes: ofPath } of candidates) {
      const match = matches(path);
      if (!match) continue;
      const withMethod = ofPath.filter((route) => route.method === routeMethod);
      return { path: declared, allowed, routes: withMethod, parameters: match.params, base, url };
    }
    return undefined;
  };
}

/** Returns the first segment of a path; empty if it contains a parameter, as in `/sitemap-records-:page.xml`. */
function firstSegment(path: string): string {
  const [, first = ''] = path.split('/', 2);
  return first.includes(':') ? '' : first;
}

/** Answers OPTIONS with the allowed methods of a path. Throws METHOD_NOT_ALLOWED for a method that it does not have. */
export function respondToMethod({ path, allowed }: RouteMatch, request: Request, response: Response): void {
  request.exchange.route = { path, limit: 'other' };
  response.setHeader('Allow', allowed.join(', '));
  if (request.method !== 'OPTIONS') {
    throw new ServiceError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use ${oneOf(allowed)}.`);
  }
  response.status(204).end();
}
