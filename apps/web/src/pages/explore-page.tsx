import type { ExplorePage } from '@esd/pages/explore-page';
import type { Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { Explore } from '../explore/explore.tsx';
import { rareViews } from '../explore/rare-views.ts';
import { provideRareViews } from '../explore/tab-views.ts';
import { feedsOf } from '../feeds.ts';
import { countText } from '../format.ts';

provideRareViews(rareViews);

export function ExploreDocument({ page, frame }: { page: ExplorePage; frame: Frame }) {
  const { data: _, dataJson, ...live } = page;
  return (
    <Document
      frame={frame}
      title={countText(page.data.total, 'experiment')}
      feeds={feedsOf(page.view)}
      section="explore"
      skipTo={['results', 'Skip to results']}
      isHidden={frame.address.includes('?')}
      live={live}
      dataJson={dataJson}
    >
      <Explore page={page} frame={frame} />
    </Document>
  );
}
