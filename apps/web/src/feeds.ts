import type { ExploreView } from '@esd/pages/explore-view';
import { filterOf, LATEST } from '@esd/pages/explore-view';

export const recordFeed = { title: 'New and corrected experiments', path: '/feeds/records.atom' };
export const releaseFeed = { title: 'Releases', path: '/feeds/releases.atom' };

/** Returns the feed of the records of a view; none for a release, which never changes. */
export function feedsOf({ filter, version }: Pick<ExploreView, 'filter' | 'version'>): (typeof recordFeed)[] {
  if (version !== LATEST) return [];
  const query = filter.length === 0 ? '' : `?filter=${encodeURIComponent(JSON.stringify(filterOf({ filter })))}`;
  return [{ ...recordFeed, path: `${recordFeed.path}${query}` }];
}
