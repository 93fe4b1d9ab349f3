import { z } from 'zod';
import { type CategoryKey, categoryKeys, type Feature, features } from '@esd/record/filter/filter-keys';
import { nearestName } from '@esd/record/filter/nearest-filter-key';
import { describe } from '@esd/record/validate/problems';

/** Every feature. */
export const featureNames: readonly Feature[] = features.map(({ feature }) => feature);

/** The names of features in a list. */
export const featureList = nameList('features', featureNames);
/** The names of categories in a list. */
export const categoryList = nameList('categories', categoryKeys);
/** The name of a feature. */
export const featureName = oneName('a feature', featureNames);
/** The name of a category. */
export const categoryName = oneName<CategoryKey>('a category', categoryKeys);

/** One name of some. */
export function oneName<Name extends string>(what: string, names: readonly Name[]) {
  const text = z.string().transform((text, context) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    context.addIssue({
      code: 'custom',
      message: `must be ${what}, such as the nearest one, "${nearestName(text, names)}"`,
    });
    return z.NEVER;
  });
  return text.meta({ type: 'string', enum: [...names] });
}

function nameList<Name extends string>(what: string, names: readonly Name[]) {
  const text = z.string().transform((text, context) => {
    const found = new Set<Name>();
    for (const part of text.split(',')) {
      const name = names.find((known) => known === part);
      if (name === undefined) {
        const nearest = `the nearest to ${describe(part)} is "${nearestName(part, names)}"`;
        context.addIssue({ code: 'custom', message: `must be ${what} separated by commas (${nearest})` });
        return z.NEVER;
      }
      if (found.has(name)) {
        context.addIssue({ code: 'custom', message: `must have each of the ${what} once ("${name}" is repeated)` });
        return z.NEVER;
      }
      found.add(name);
    }
    return [...found];
  });
  return text.meta({ type: 'string', description: `Separated by commas: ${names.join(', ')}.` });
}
