import type { Generated, GeneratedAlways } from 'kysely';

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
  /** Origin of the sending network or account, until the feedback is closed, for at most 90 days; see originsBy. */
  sender: Generated<string | null>;
  signed_in: Generated<boolean>;
}

/** The audit trail of deleted feedback; append-only. */
export interface FeedbackAuditTable {
  id: GeneratedAlways<number>;
  at: Generated<Date>;
  /** Null if the feedback was deleted after its retention period. */
  actor_account_id: string | null;
  action: 'delete';
  feedback_id: number;
  request_id: string;
}
