import { ALL_LISTS } from '@esd/record/reference/list-names';
import { z } from 'zod';
import { REVIEWER } from './moderation.ts';
import { idText, integerText } from './number-text.ts';
import { operation } from './operation.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from './paged-list.ts';
import { recordStatus } from './record-status.ts';
import { success } from './success.ts';
import { systemStatus } from './system-status.ts';

const auditQuery = z.object({
  actor: z
    .uuid('must be an account id (a UUID)')
    .optional()
    .meta({ description: 'The id of the account that performed the action.' }),
  subject: z
    .uuid('must be an account id (a UUID)')
    .optional()
    .meta({ description: 'The id of the account that the action affected.' }),
  action: z
    .string()
    .regex(/^[a-z-]{1,60}$/, 'must be an action such as `token-created`')
    .optional(),
  from: instant().meta({ description: 'Includes only entries at or after this time.' }),
  to: instant().meta({ description: 'Includes only entries before this time.' }),
  ...pagedQuery.shape,
});

export const auditEntry = z.strictObject({
  id: z.int(),
  at: z.iso.datetime(),
  action: z.string(),
  actor: z.uuid().optional().meta({ description: 'The account id; absent if the caller sent no credential.' }),
  subject: z.uuid().optional().meta({ description: 'The account id.' }),
  requestId: z.string(),
  clientIp: z.string().optional().meta({
    description: 'Erased after 90 days by default, or when one of the accounts is deleted.',
  }),
  details: z.record(z.string(), z.string()),
});

function instant() {
  return z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .optional();
}

export const listAudit = operation({
  method: 'get',
  path: '/admin/audit',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'List the audit trail of accounts',
    details: 'Requires the role ADMIN. The newest entries come first.',
    returns: 'A page of the audit trail.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
    example: { parameters: { action: 'login', limit: 10 } },
  },
  query: auditQuery,
  response: pagedResponse(auditEntry),
});

export const listChange = z.strictObject({
  id: z.int(),
  revision: z.int().meta({ description: 'The dataset revision that the change created.' }),
  at: z.iso.datetime(),
  accountId: z.uuid().meta({
    description: 'The account that made the change; all zeros for an entry that the resolver found.',
  }),
  requestId: z.string(),
  list: z.enum(ALL_LISTS),
  entryId: z.int(),
  action: z.string().meta({ description: '`create`, `replace` or `delete`.' }),
  before: z.looseObject({}).optional(),
  after: z.looseObject({}).optional(),
});

const changesQuery = z.object({
  list: z.enum(ALL_LISTS).optional(),
  entryId: integerText(1, Number.MAX_SAFE_INTEGER).optional(),
  ...pagedQuery.shape,
});

export const listReferenceChanges = operation({
  method: 'get',
  path: '/admin/metadata/changes',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'List changes to the reference lists',
    details: 'Requires the role ADMIN. The newest changes come first.',
    returns: 'A page of changes.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
  },
  query: changesQuery,
  response: pagedResponse(listChange),
});

export const publication = z.strictObject({
  recordId: z.int(),
  revision: z.int().meta({ description: 'The newest record revision.' }),
  status: recordStatus,
  decidedAt: z.iso.datetime().nullable().meta({ description: 'The time of the decision; null while it is pending.' }),
  event: z
    .strictObject({
      id: z.uuid(),
      writtenAt: z.iso.datetime(),
      publishedAt: z.iso.datetime().nullable().meta({ description: 'Null until the event stream has the event.' }),
    })
    .nullable()
    .meta({ description: 'The event that publishes or withdraws this revision; null for another revision.' }),
  dataset: z.strictObject({
    revision: z.int().nullable().meta({
      description:
        'The dataset revision that contains the newest public change of the record; null before the first one.',
    }),
    replicas: z.array(
      z.strictObject({
        instance: z.string().meta({ description: 'Host and port of the replica.' }),
        revision: z.int().nullable().meta({ description: 'The dataset revision that it serves; null if unknown.' }),
      }),
    ),
  }),
  waitsFor: z.string().nullable().meta({
    description: 'What the record waits for; null once all replicas show the decision.',
  }),
});

export const getPublication = operation({
  method: 'get',
  path: '/admin/records/{id}/publication',
  caller: 'required',
  role: 'MODERATOR',
  describe: {
    tag: 'Administration',
    summary: 'Get how far a record is on its way to readers',
    details: `${REVIEWER} Queries every replica that serves the dataset and waits at most 2 s for each.`,
    returns: 'The newest decision on the record, its event, the replicas, and what the record waits for.',
    errors: ['FORBIDDEN', 'RECORD_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: z.object({ id: idText }),
  response: publication,
});

export const getStatus = operation({
  method: 'get',
  path: '/admin/status',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'Get the status of the services',
    details:
      'Requires the role ADMIN. Queries every replica of every service and waits at most 2 s for each. Unavailable values are left out and named in `warnings`.',
    returns: 'The services with their replicas, and the pending events.',
    errors: ['FORBIDDEN'],
    example: {},
  },
  response: systemStatus,
});

export const eraseSubmitter = operation({
  method: 'delete',
  path: '/admin/submissions/{id}/submitter',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'Erase the submitter of a submission',
    details:
      'Requires the role ADMIN. Permanently erases the name, the address and all other members of `userMetadata`. Moderators and the list of contributors no longer show them. The records remain, and their history shows when and by whom the submitter was erased. Other submissions of the same person remain unchanged. Repeating the call has no effect.',
    returns: 'A confirmation that the submitter is erased.',
    errors: ['FORBIDDEN', 'SUBMISSION_NOT_FOUND'],
    example: { parameters: { id: 1 } },
  },
  parameters: z.object({ id: idText }),
  response: success,
});
