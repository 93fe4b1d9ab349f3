import type { ExploreData } from '@esd/pages/explore-data';
import { DEPENDENCIES, type Part, partsOf, plainParts } from '@esd/pages/explore-page';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';

/** Returns the parts to request for the next view: those that it shows and that are missing or changed. */
export function neededParts(
  before: ExploreView,
  after: ExploreView,
  data: ExploreData,
  page: { opened: readonly Feature[]; isNarrow: boolean },
): readonly Part[] {
  const partsOfView = partsOf(after, page);
  const isSame = (read: (view: ExploreView) => unknown): boolean =>
    JSON.stringify(read(before)) === JSON.stringify(read(after));
  if (!isSame(({ filter, version, repeats }) => [filter, version, repeats])) return partsOfView;
  return partsOfView.filter((part) => {
    const plain = plainParts.find((one) => one === part);
    // Histograms depend only on the filter.
    if (plain === undefined || plain === 'allPapers') return false;
    if (plain === 'nearest' && after.recipe.length === 0) return false;
    return data[plain === 'narrowGrid' ? 'grid' : plain] === undefined || !isSame(DEPENDENCIES[plain]);
  });
}
