import { featureNames } from './names-text.ts';
import { z } from 'zod';
import type { Feature } from '@esd/record/filter/filter-keys';
import { nearestName } from '@esd/record/filter/nearest-filter-key';
import { duplicateKeys } from '@esd/record/filter/parse-filter';
import { describe } from '@esd/record/validate/problems';

export const MAX_LENGTH = 4_096;

export const KEYS = [...featureNames, 'polymer', 'solvent'];

/** A parsed recipe. dataset-svc resolves its names. */
export interface SentRecipe {
  /** In the order of the features. */
  values: { feature: Feature; value: number }[];
  polymers: string[];
  solvents: string[];
}

/** The query parameter for a recipe: a JSON object of features, `polymer` and `solvent`. */
export const recipeText = z
  .string()
  .transform((text, context): SentRecipe => {
    const read = readRecipe(text);
    if (typeof read !== 'string') return read;
    context.addIssue({ code: 'custom', message: read });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    description:
      'A JSON object. Each feature has a number in the unit of its filter; `polymer` and `solvent` have a name or an array of names.',
    contentMediaType: 'application/json',
  });

/** Returns the recipe, or the problem as a message. */
export function readRecipe(text: string): SentRecipe | string {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'must be a JSON object such as {"polymer":"PVDF","voltage":15}';
  }
  const members = z.record(z.string(), z.unknown()).safeParse(json).data;
  if (!members) return 'must be a JSON object such as {"polymer":"PVDF","voltage":15}';
  const [repeated] = duplicateKeys(text);
  if (repeated !== undefined) return `must have each key once (${describe(repeated)} appears more than once)`;
  if (Object.keys(members).length === 0) return 'must have at least one key such as "voltage"';
  for (const key of Object.keys(members)) {
    if (KEYS.includes(key)) continue;
    return `must have only features, "polymer" and "solvent" as keys (the nearest to ${describe(key)} is "${nearestName(key, KEYS)}")`;
  }
  const values: SentRecipe['values'] = [];
  for (const feature of featureNames) {
    const value = members[feature];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return `must have a finite number as "${feature}" (it is ${describe(value)})`;
    }
    values.push({ feature, value: value === 0 ? 0 : value });
  }
  const [polymers, solvents] = [namesOf(members['polymer']), namesOf(members['solvent'])];
  if (!polymers) return 'must have a name or an array of names as "polymer"';
  if (!solvents) return 'must have a name or an array of names as "solvent"';
  return { values, polymers, solvents };
}

export const oneOrMoreNames = z.union([z.string().transform((name) => [name]), z.array(z.string()).min(1)]);

export function namesOf(value: unknown): string[] | undefined {
  return value === undefined ? [] : oneOrMoreNames.safeParse(value).data;
}
