import { categoryValue } from '@esd/record/filter/category-values';
import { type Feature, type FeatureKeys, features } from '@esd/record/filter/filter-keys';
import { nearestNames, type References, resolveName } from '@esd/record/reference/reference';
import { systemsIn } from '@esd/record/reference/systems';
import { ServiceError } from '@esd/service/errors';
import type { NearestQuestion } from '@esd/proto/esd/dataset/v1/dataset';

export interface Recipe {
  /** In the order of `features`. */
  values: readonly { keys: FeatureKeys; value: number }[];
  /** Distinct names of the lists; undefined if the recipe does not name one. */
  polymers: readonly string[] | undefined;
  solvents: readonly string[] | undefined;
}

/** Returns the recipe of a question with the names of the lists. Throws INVALID_PARAMETER for a name that does not resolve. */
export function resolvedRecipe({ values, polymers, solvents }: NearestQuestion, references: References): Recipe {
  const byFeature = new Map<string, number>(values.map(({ feature, value }) => [feature, value]));
  return {
    values: features.flatMap((keys) => {
      const value = byFeature.get(keys.feature);
      return value === undefined ? [] : [{ keys, value }];
    }),
    polymers: polymers.length === 0 ? undefined : resolved(references, 'polymers', polymers),
    solvents: solvents.length === 0 ? undefined : resolved(references, 'solvents', solvents),
  };
}

export function valuesBut({ values }: Recipe, feature: Feature): Recipe['values'] {
  return values.filter(({ keys }) => keys.feature !== feature);
}

function resolved(references: References, list: 'polymers' | 'solvents', names: readonly string[]): string[] {
  const key = list === 'polymers' ? 'polymer' : 'solvent';
  const entryNames = names.flatMap((name) => {
    const [system, ...otherSystems] = systemsIn(references, key, name);
    if (system && otherSystems.length === 0)
      return system.map((entryName) => categoryValue(key, entryName, references));
    const resolution = resolveName(references, list, name);
    const nearest = nearestNames(references, list, name);
    const meant =
      resolution.kind === 'ambiguous'
        ? `it may mean ${resolution.meanings.join(' or ')}`
        : nearest.length > 0
          ? `nearest: ${nearest.join(', ')}`
          : `see /metadata/${list}`;
    throw new ServiceError(
      'INVALID_PARAMETER',
      `\`recipe\`: the ${key} ${JSON.stringify(name)} is not known; ${meant}.`,
    );
  });
  return [...new Set(entryNames)];
}
