import { CompareTab } from './compare-tab.tsx';
import { CoverageTab } from './coverage-tab.tsx';
import { NearestTab } from './nearest-tab.tsx';
import { PapersTab } from './papers-tab.tsx';
import type { RareTabs } from './tab-views.ts';

export const rareTabs: RareTabs = {
  coverage: CoverageTab,
  papers: PapersTab,
  nearest: NearestTab,
  compare: CompareTab,
};
