/** The service that checks the caller. */
export const MODERATION = ['esd.submission.v1.ModerationService'] as const;
