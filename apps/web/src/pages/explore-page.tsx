import type { ExplorePage } from '@esd/pages/explore-page';
import type { Frame } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { Explore } from '../explore/explore.tsx';
import { rareTabs } from '../explore/rare-tabs.ts';
import { provideRareTabs } from '../explore/tab-views.ts';
import { feedsOf } from '../feeds.ts';
import { countText } from '../format.ts';

provideRareTabs(rareTabs);

export function ExploreDocument({ page, frame }: { page: ExplorePage; frame: Frame }) {
  return (
    <Document
      frame={frame}
      title={countText(page.data.total, 'experiment')}
      feeds={feedsOf(page.view)}
      section="explore"
      isHidden={frame.address.includes('?')}
      live={page}
    >
      <Explore page={page} frame={frame} />
    </Document>
  );
}
