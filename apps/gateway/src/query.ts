import { z } from 'zod';
import { nearest } from '@esd/record/nearest';
import { shorten } from '@esd/record/problems';
import { ServiceError } from '@esd/service/errors';

const DIGITS = /^\d{1,16}$/;

/** An integer written in digits alone, from `least` to `most`. */
export function integerText(least: number, most: number) {
  const text = z.string().transform((text, context) => {
    const value = Number(text);
    if (DIGITS.test(text) && value >= least && value <= most) return value;
    context.addIssue({ code: 'custom', message: `must be an integer from ${least} to ${most}, in digits` });
    return z.NEVER;
  });
  return text.meta({ type: 'integer', minimum: least, ...(most < Number.MAX_SAFE_INTEGER ? { maximum: most } : {}) });
}

/**
 * Reads the query of a URL by a schema whose members are the known parameters. Throws ServiceError INVALID_PARAMETER
 * that names the first parameter that is unknown (and the nearest known ones), repeated, malformed or out of range.
 */
export function readQuery<Shape extends z.ZodRawShape>(
  url: string,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const known = Object.keys(schema.shape);
  const values = new Map<string, string>();
  const start = url.indexOf('?');
  const pairs = start < 0 ? [] : url.slice(start + 1).split('&');
  for (const pair of pairs.filter((part) => part !== '')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    if (!known.includes(name)) throw invalid(`Unknown query parameter "${shorten(name)}"; ${suggestion(name, known)}`);
    if (values.has(name)) throw invalid(`The query parameter "${name}" is given more than once.`);
    values.set(name, decode(value));
  }
  const result = schema.safeParse(Object.fromEntries(values));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const name = String(issue?.path[0] ?? '');
  const value = values.get(name);
  if (value === undefined) throw invalid(`The query parameter "${name}" is missing.`);
  throw invalid(`${name}=${shorten(value)}: ${issue?.message ?? 'not valid'}.`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid(`"${shorten(text)}" in the query is not valid percent-encoded UTF-8.`);
  }
}

function suggestion(name: string, known: string[]): string {
  if (known.length === 0) return 'this path takes none.';
  const spellings = known.map((known) => [known.toLowerCase(), known] as const);
  const near = nearest(name.toLowerCase(), spellings);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known are ${known.join(', ')}.`;
}

function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_PARAMETER', message);
}
