import { z } from 'zod';
import { type CategoryKey, categoryKeys, type Feature, features } from '@esd/record/filter/filter-keys';
import { nearestName } from '@esd/record/filter/nearest-filter-key';
import { describe } from '@esd/record/validate/problems';

export const featureNames: readonly Feature[] = features.map(({ feature }) => feature);

export const featureList = nameList('features', featureNames);

export const categoryList = nameList('categories', categoryKeys);

export const featureName = oneName('a feature', featureNames);

export const categoryName = oneName<CategoryKey>('a category', categoryKeys);

/** Returns the schema of one of the names; `what` describes them in messages. */
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

export function nameList<Name extends string>(what: string, names: readonly Name[]) {
  const text = z.string().transform((text, context) => {
    const found = new Set<Name>();
    for (const part of text.split(',')) {
      const name = names.find((known) => known === part);
      if (name === undefined) {
        const nearest = `the nearest to ${describe(part)} is "${nearestName(part, names)}"`;
        context.addIssue({ code: 'custom', message: `must be a comma-separated list of ${what} (${nearest})` });
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
  return text.meta({ type: 'string', description: `A comma-separated list of these names: ${names.join(', ')}.` });
}
