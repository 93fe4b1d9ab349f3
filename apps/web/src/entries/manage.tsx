import { hydratePage } from '../client/hydrate.tsx';
import { ManageView } from '../manage/manage-view.tsx';

hydratePage('manage', ManageView);
