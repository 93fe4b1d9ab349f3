import type { z } from 'zod';

/** Returns the requirement of a value as the rest of a sentence that begins with its name: "must be an array". */
export function requirement(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? JSON.stringify(issue.values[0]) : oneOf(issue.values.map(String))}`;
    case 'too_small':
      if (isCounted(issue.origin)) {
        if (issue.minimum === 1) return 'must not be empty';
        return `must have at least ${issue.minimum} ${PARTS[issue.origin]}`;
      }
      return `must be ${issue.inclusive ? 'at least' : 'greater than'} ${issue.minimum}`;
    case 'too_big':
      if (isCounted(issue.origin)) {
        return `must have at most ${issue.maximum} ${PARTS[issue.origin]}`;
      }
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `a valid ${issue.format}`}`;
    case 'invalid_union': {
      const options = (issue.errors ?? []).flatMap(([first]) => (first ? [requirement(first)] : []));
      const kinds = new Set(options.map((option) => option.replace(/^must be /, '')));
      return kinds.size === 0 ? 'is not valid' : `must be ${oneOf([...kinds])}`;
    }
    default:
      return 'is not valid';
  }
}

/** Joins alternatives: "a, b or c". */
export function oneOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

function isCounted(origin: string): origin is keyof typeof PARTS {
  return Object.hasOwn(PARTS, origin);
}

const PARTS = { string: 'characters', array: 'items' } as const;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  url: 'a URL',
};
