import { CiteView } from './cite-view.tsx';
import { CompareTab } from './compare-tab.tsx';
import { CoverageTab } from './coverage-tab.tsx';
import { DownloadView } from './download-view.tsx';
import { NearestTab } from './nearest-tab.tsx';
import { PapersTab } from './papers-tab.tsx';
import type { RareViews } from './tab-views.ts';

export const rareViews: RareViews = {
  coverage: CoverageTab,
  papers: PapersTab,
  nearest: NearestTab,
  compare: CompareTab,
  download: DownloadView,
  cite: CiteView,
};
