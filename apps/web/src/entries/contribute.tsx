import { hydratePage } from '../client/hydrate.tsx';
import { ContributeForms } from '../pages/contribute/contribute-forms.tsx';

hydratePage('contribute', ContributeForms);
