import { readView } from '@esd/pages/explore-view';
import { hydratePage } from '../client/hydrate.tsx';
import { Explore } from '../explore/explore.tsx';
import { loadTab, provideRareViews } from '../explore/tab-views.ts';

provideRareViews(async () => (await import('../explore/rare-views.ts')).rareViews);
await loadTab(readView(new URLSearchParams(location.search)).view.tab);
hydratePage('explore', Explore);
