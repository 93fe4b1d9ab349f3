import type { ExploreData } from '@esd/pages/explore-data';
import { type Part, partsOf, plainParts, type PlainPart } from '@esd/pages/explore-page';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Feature } from '@esd/record/filter/filter-keys';

/** Returns the parts to request for the next view: those that it shows and that are missing or changed. */
export function neededParts(
  before: ExploreView,
  after: ExploreView,
  data: ExploreData,
  page: { opened: readonly Feature[]; isNarrow: boolean },
): readonly Part[] {
  const wanted = partsOf(after, page);
  const same = (...names: readonly (keyof ExploreView)[]): boolean =>
    names.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
  if (!same('filter', 'version', 'repeats')) return wanted;
  const hasSameMap = before.map.x === after.map.x && before.map.y === after.map.y;
  const isCurrent: Readonly<Partial<Record<PlainPart, boolean>>> = {
    grid: hasSameMap,
    narrowGrid: hasSameMap,
    points:
      before.scatter.x === after.scatter.x &&
      before.scatter.y === after.scatter.y &&
      before.scatter.color === after.scatter.color &&
      before.scatter.panels === after.scatter.panels,
    records: same('sort', 'page') && same('tab'),
    coverage: same('coverage'),
    nearest: same('recipe'),
    compared: same('compare'),
  };
  return wanted.filter((part) => {
    const plain = plainParts.find((one) => one === part);
    // Histograms depend only on the filter.
    if (plain === undefined || plain === 'allPapers') return false;
    if (plain === 'nearest' && after.recipe.length === 0) return false;
    return data[plain === 'narrowGrid' ? 'grid' : plain] === undefined || isCurrent[plain] === false;
  });
}
