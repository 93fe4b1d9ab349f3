import { parseFilter } from '@esd/record/filter/parse-filter';
import { isObject } from '@esd/record/validate/is-object';

/** The name of the parameter that contains a filter of the API. */
const FILTER = 'filter';

export type ApiFilter =
  | { readonly kind: 'none' }
  /** The query string of the page with the same conditions, including `?`. */
  | { readonly kind: 'filter'; readonly query: string }
  | { readonly kind: 'problem'; readonly message: string };

/** Translates the filter of an API call in a URL of `/explore` into parameters of the page. All other parameters remain. */
export function readApiFilter(parameters: URLSearchParams): ApiFilter {
  // A form sends its empty fields too.
  const [text, ...others] = parameters.getAll(FILTER).filter((one) => one.trim() !== '');
  if (text === undefined) return { kind: 'none' };
  if (others.length > 0) return { kind: 'problem', message: 'The parameter is given more than once; give it once.' };
  const parsed = parseFilter(text);
  if ('problem' in parsed) return { kind: 'problem', message: parsed.problem.message };
  const query = new URLSearchParams(pageParameters(text));
  for (const [name, value] of parameters) if (name !== FILTER) query.append(name, value);
  return { kind: 'filter', query: query.size === 0 ? '' : `?${query.toString()}` };
}

/** Returns the parameters of `/explore` with the conditions of a valid filter of the API. */
export function pageParameters(filter: string): [name: string, value: string][] {
  const members: unknown = JSON.parse(filter);
  return Object.entries(isObject(members) ? members : {}).map(([key, value]) => [key, String(value).trim()]);
}
