import type { Generated, GeneratedAlways } from 'kysely';

/** What an administrator has done about feedback. */
export const feedbackStates = ['OPEN', 'IN_PROGRESS', 'CLOSED'] as const;
export type FeedbackState = (typeof feedbackStates)[number];

export const imageMediaTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageMediaType = (typeof imageMediaTypes)[number];

export interface FeedbackTable {
  id: GeneratedAlways<number>;
  name: string;
  category: string;
  subject: string;
  message: string;
  image: Buffer | null;
  image_media_type: ImageMediaType | null;
  image_bytes: GeneratedAlways<number | null>;
  state: Generated<FeedbackState>;
  note: string | null;
  submitted_at: Generated<Date>;
  changed_at: Date | null;
  /** Account id of the administrator. */
  changed_by: string | null;
}
