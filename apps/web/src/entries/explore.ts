import { readView } from '@esd/pages/explore-view';
import { hydratePage } from '../client/hydrate.tsx';
import { Explore } from '../explore/explore.tsx';
import { loadTab, provideRareTabs } from '../explore/tab-views.ts';

provideRareTabs(async () => (await import('../explore/rare-tabs.ts')).rareTabs);
await loadTab(readView(new URLSearchParams(location.search)).view.tab);
hydratePage('explore', Explore);
