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
  /** The origin of the network or account that sent it, until it is closed, at most 90 days: see originsBy. */
  sender: Generated<string | null>;
  /** Whether an account sent it. */
  signed_in: Generated<boolean>;
}

/** Which feedback was deleted, when and by whom; rows are only added. */
export interface FeedbackAuditTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  /** Null: its retention period was over. */
  actor_account_id: string | null;
  action: 'delete';
  feedback_id: number;
  request_id: string;
}
