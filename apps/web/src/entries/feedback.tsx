import { hydratePage } from '../client/hydrate.tsx';
import { FeedbackForm } from '../pages/feedback-form.tsx';

hydratePage('feedback', FeedbackForm);
