import type { ResponseAt } from '@esd/api/operations';

export type OwnRecord = ResponseAt<'get', '/data/submission/{submissionId}'>['experimentData'][number];
export type UnreadThread = ResponseAt<'get', '/data/unread'>['records'][number];
