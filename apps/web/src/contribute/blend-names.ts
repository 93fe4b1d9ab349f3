import type { References } from '@esd/record/reference/reference';
import type { SubstanceKey } from '@esd/record/reference/substance-names';
import { systemsIn } from '@esd/record/reference/systems';
import { componentCount, type FormValues } from './form-values.ts';

/**
 * Returns the values that enter the names of a blend, such as "DMF/acetone", from its line on. Returns undefined for another text, and
 * if a later line has a name.
 */
export function blendNames(
  values: FormValues,
  path: string,
  key: SubstanceKey,
  references: References,
): FormValues | undefined {
  const [names = [], ...others] = systemsIn(references, key, values[path] ?? '');
  const [, list = '', line = '', member = ''] = /^(.*)\[(\d+)\](.*)$/.exec(path) ?? [];
  const pathOf = (at: number): string => `${list}[${at}]${member}`;
  const lines = Array.from({ length: componentCount(values, list) }, (_, at) => at);
  if (names.length < 2 || others.length > 0 || lines.some((at) => at > Number(line) && values[pathOf(at)])) {
    return undefined;
  }
  return Object.fromEntries(names.map((name, at) => [pathOf(Number(line) + at), name]));
}
