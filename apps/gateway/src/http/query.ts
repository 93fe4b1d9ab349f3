import type { z } from 'zod';
import type { Filter } from '@esd/record/filter/filter';
import { parseFilter } from '@esd/record/filter/parse-filter';
import { nearest } from '@esd/record/validate/nearest-names';
import { describe } from '@esd/record/validate/problems';
import { ServiceError } from '@esd/service/errors';
import { requirement } from './requirement.ts';

/** Parses a query by a schema. Throws INVALID_PARAMETER for the first unknown, repeated, malformed or invalid parameter. */
export function readQuery<Shape extends z.ZodRawShape>(
  url: string,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  refuseNul(url);
  const known = Object.keys(schema.shape);
  const values = new Map<string, string>();
  const start = url.indexOf('?');
  const pairs = start < 0 ? [] : url.slice(start + 1).split('&');
  for (const pair of pairs.filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    if (!known.includes(name)) throw invalid(`Unknown query parameter ${describe(name)}; ${suggestion(name, known)}.`);
    if (values.has(name)) throw invalid(`The query parameter \`${name}\` appears more than once; send it once.`);
    values.set(name, decode(value));
  }
  const result = schema.safeParse(Object.fromEntries(values), { error: requirement });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const name = String(issue?.path[0] ?? '');
  const value = values.get(name);
  if (value === undefined) throw invalid(`The query parameter \`${name}\` is required.`);
  throw invalid(`\`${name}\` ${issue?.message ?? 'is not valid'}, got ${describe(value)}.`);
}

/** Parses path parameters by a schema. Throws INVALID_PARAMETER for the first invalid one. */
export function readParameters<Shape extends z.ZodRawShape>(
  parameters: Readonly<Record<string, unknown>>,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const result = schema.safeParse(parameters, { error: requirement });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const name = String(issue?.path[0] ?? '');
  const value = describe(String(parameters[name]));
  throw invalid(`\`${name}\` in the path ${issue?.message ?? 'is not valid'}, got ${value}.`);
}

/** Parses a filter; an absent one has no conditions. Throws INVALID_FILTER. */
export function readFilter(text: string | undefined): Filter {
  if (text === undefined) return [];
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  return parsed.filter;
}

/** Returns the parameters that have a value. */
export function givenParameters(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Throws INVALID_PARAMETER for a query with NUL. A lone surrogate is not valid UTF-8. */
export function refuseNul(url: string): void {
  const pair = url.split(/[?&]/).find((text) => text.includes('%00'));
  if (pair !== undefined) throw invalid(`The query contains ${describe(pair)} with the character NUL; remove it.`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid(`The query contains ${describe(text)}, which is not valid percent-encoded UTF-8.`);
  }
}

function suggestion(name: string, known: string[]): string {
  if (known.length === 0) return 'this path takes no query parameters';
  const spellings = known.map((known) => [known.toLowerCase(), known] as const);
  const near = nearest(name.toLowerCase(), spellings);
  return near.length > 0 ? `nearest: ${near.map(describe).join(', ')}` : `known: ${known.map(describe).join(', ')}`;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_PARAMETER', message);
}
