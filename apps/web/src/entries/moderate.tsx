import { hydratePage } from '../client/hydrate.tsx';
import { ModerateView } from '../moderate/moderate-view.tsx';

hydratePage('moderate', ModerateView);
