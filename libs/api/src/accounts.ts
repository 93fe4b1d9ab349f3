import { isPlainLine } from '@esd/record/validate/plain-text';
import { z } from 'zod';
import { operation } from './operation.ts';
import { pagedResponse, pagedHeaders, pagedQuery } from './paged-list.ts';
import { recordStatus } from './record-status.ts';
import { withdrawn } from './withdrawn.ts';
import { accountRole } from './account-role.ts';
import { shortText } from './short-text.ts';
import { success } from './success.ts';
import { snapshot } from './snapshots.ts';
import { orcid, profileAnswer } from './profile.ts';
import { session } from './sessions.ts';
import { accessToken } from './tokens.ts';

export const accountId = z.object({ id: z.uuid('must be an account id (a UUID)') });

const accountsQuery = z.object({
  search: z
    .string()
    .min(1)
    .max(320)
    .refine(isPlainLine, 'must not contain control characters')
    .optional()
    .meta({ description: 'A part of the email address or the name (case-insensitive).' }),
  role: z.enum(accountRole.options).optional(),
  enabled: z.enum(['true', 'false']).optional(),
  ...pagedQuery.shape,
});

export const account = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    role: accountRole,
    enabled: z.boolean(),
    emailVerified: z.boolean(),
    createdAt: z.iso.datetime(),
    orcid: z.string().optional(),
  })
  .meta({ id: 'Account' });

const ADMIN_SESSION = 'Requires the role ADMIN. The last enabled administrator cannot be changed.';

const EXAMPLE_ID = { id: '5f0c1f0e-8f0a-4a44-9a39-0d2f6f1d6c11' };

export const listAccounts = operation({
  method: 'get',
  path: '/admin/accounts',
  caller: 'required',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'List accounts',
    details: 'Requires the role ADMIN. The oldest accounts come first.',
    returns: 'A page of accounts.',
    answerHeaders: pagedHeaders,
    errors: ['FORBIDDEN'],
    example: { parameters: { role: 'ADMIN', limit: 10 } },
  },
  query: accountsQuery,
  response: pagedResponse(account),
});

export const setAccountRole = operation({
  method: 'put',
  path: '/admin/accounts/{id}/role',
  caller: 'session',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'Change the role of an account',
    details: `${ADMIN_SESSION} The change takes effect with the next request of the account.`,
    returns: 'The account.',
    errors: ['FORBIDDEN', 'SESSION_REQUIRED', 'ACCOUNT_NOT_FOUND', 'CONFLICT'],
    example: { parameters: EXAMPLE_ID, body: { role: 'MODERATOR' } },
  },
  parameters: accountId,
  body: z.strictObject({ role: accountRole }),
  response: account,
});

export const setAccountEnabled = operation({
  method: 'put',
  path: '/admin/accounts/{id}/enabled',
  caller: 'session',
  role: 'ADMIN',
  describe: {
    tag: 'Administration',
    summary: 'Enable or disable an account',
    details: `${ADMIN_SESSION} Disabling an account ends its sessions. Its personal access tokens are rejected until the account is enabled again.`,
    returns: 'The account.',
    errors: ['FORBIDDEN', 'SESSION_REQUIRED', 'ACCOUNT_NOT_FOUND', 'CONFLICT'],
    example: { parameters: EXAMPLE_ID, body: { enabled: false } },
  },
  parameters: accountId,
  body: z.strictObject({ enabled: z.boolean() }),
  response: account,
});

const firstAdminBody = z.strictObject({ email: shortText, password: shortText, name: shortText });

export const createAdmin = operation({
  method: 'post',
  path: '/auth/admin/create',
  caller: 'optional',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Create the first administrator',
    details: 'Available until the first administrator exists.',
    returns: 'The new account.',
    status: 201,
    headers: { 'X-Bootstrap-Token': 'The bootstrap token, if one is configured.' },
    errors: ['FORBIDDEN', 'ADMIN_EXISTS'],
    example: {
      body: { email: 'ada@example.org', password: 'correct horse battery staple', name: 'Ada Example' },
    },
  },
  body: firstAdminBody,
  response: profileAnswer,
});

const changeBody = z.strictObject({
  currentPassword: shortText,
  newPassword: shortText,
  revokeTokens: z.boolean().optional().meta({ description: 'Also revoke every personal access token.' }),
});

const tokenQuery = z.object({ token: shortText.optional() });

const NEW_PASSWORD = 'a long and unusual password';

export const showPasswordReset = operation({
  caller: 'ignored',
  limit: 'accounts',
  method: 'get',
  path: '/auth/reset-password',
  describe: {
    tag: 'Accounts',
    summary: 'Open the link from a password reset email',
    details: 'A browser gets a form that sends the POST request.',
    returns: 'Instructions for using the token.',
    otherTypes: ['text/html'],
  },
  query: tokenQuery,
  response: success,
});

export const resetPassword = operation({
  caller: 'ignored',
  limit: 'accounts',
  method: 'post',
  path: '/auth/reset-password',
  describe: {
    tag: 'Accounts',
    summary: 'Set a password with the token from an email',
    details:
      'Ends every session of the account, revokes its personal access tokens, and marks the address as verified. The owner is notified by email.',
    returns: 'A confirmation that the password is set.',
    errors: ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'],
    example: { body: { token: 'the token of the link in the email', newPassword: NEW_PASSWORD } },
  },
  response: success,
});

export const changePassword = operation({
  method: 'post',
  path: '/auth/change-password',
  caller: 'required',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Change the password',
    details:
      'Ends every other session of the account, and revokes its personal access tokens if `revokeTokens` is true. The owner is notified by email.',
    returns: 'A confirmation that the password is changed.',
    errors: ['BAD_CREDENTIALS', 'RATE_LIMITED'],
    example: { body: { currentPassword: 'correct horse battery staple', newPassword: NEW_PASSWORD } },
  },
  body: changeBody,
  response: success,
});

const time = z.iso.datetime();

export const accountAction = z.strictObject({
  id: z.int(),
  at: time,
  action: z.string(),
  clientIp: z.string().optional().meta({ description: 'Absent once it is erased.' }),
});

export const entryChange = z.strictObject({
  at: time,
  action: z.string(),
  list: z.string().optional(),
  entryId: z.int().optional(),
  version: z.string().optional().meta({ description: 'The identifier of a release.' }),
});

const ofRevision = { recordId: z.int(), revision: z.int() };

const decision = z.strictObject({
  id: z.int(),
  ...ofRevision,
  at: time,
  action: z.string(),
  reason: z.string().nullable(),
});

const ownData = z
  .strictObject({
    exportedAt: time,
    account: profileAnswer,
    sessions: z.array(session),
    tokens: z.array(accessToken),
    snapshots: z.array(snapshot),
    acts: z
      .array(accountAction)
      .meta({ description: `The actions of the caller on accounts, sessions and tokens; at most the newest 10,000.` }),
    changes: z.array(entryChange).meta({
      description: 'The actions of the caller on reference lists and releases; at most the newest 10,000.',
    }),
    images: z.array(z.looseObject({ imageId: z.uuid() })),
    submissions: z.array(
      z.strictObject({
        submissionId: z.int(),
        submittedAt: time,
        credential: z.string(),
        imageOnly: z.boolean(),
        userMetadata: z.looseObject({}).nullable(),
      }),
    ),
    records: z.array(
      z.strictObject({
        submissionId: z.int(),
        ...ofRevision,
        status: recordStatus,
        publishedRevision: z.int().nullable(),
        createdAt: time,
        updatedAt: time,
        withdrawn: withdrawn.nullable(),
        messagesReadUpTo: z.int().nullable().meta({
          description: 'The id of the newest message that the owner has marked as read.',
        }),
      }),
    ),
    revisions: z
      .array(
        z.strictObject({
          ...ofRevision,
          createdAt: time,
          missingFields: z.array(z.string()),
          warnings: z.array(z.looseObject({ code: z.string() })),
          data: z.looseObject({}),
        }),
      )
      .meta({ description: 'The data of every revision of the records.' }),
    history: z.array(decision.extend({ by: z.enum(['owner', 'moderator', 'service']) })),
    messages: z.array(
      z.strictObject({
        id: z.int(),
        recordId: z.int(),
        from: z.enum(['owner', 'moderator']),
        mine: z.boolean(),
        text: z.string(),
        createdAt: time,
      }),
    ),
    reviews: z.array(decision).meta({ description: 'The decisions of the caller as a moderator.' }),
  })
  .meta({ id: 'OwnData' });

export const exportProfile = operation({
  method: 'get',
  path: '/auth/profile/export',
  caller: 'session',
  limit: 'exports',
  describe: {
    tag: 'Accounts',
    summary: 'Download all data of the caller',
    details:
      'Requires a session. The export does not contain passwords, token secrets or image files. Other accounts appear only by their role. If a service is unavailable, the response is 503 instead of a partial export.',
    returns: 'The account with all its data.',
    answerHeaders: { 'Content-Disposition': 'The suggested file name.' },
    errors: ['SESSION_REQUIRED'],
  },
  response: ownData,
});

const profileBody = z.strictObject({ name: shortText.optional(), orcid: orcid.optional() });

const deleteBody = z.strictObject({ password: shortText.optional() });

export const meAnswer = z.strictObject({ email: z.string(), role: accountRole, enabled: z.boolean() });

const NOT_STORED = 'The response must not be stored (`Cache-Control: no-store`).';

export const getMe = operation({
  caller: 'required',
  method: 'get',
  path: '/auth/me',
  describe: {
    tag: 'Accounts',
    summary: 'Get a summary of the caller’s account',
    details: NOT_STORED,
    returns: 'The email address, the role and the state of the account.',
  },
  response: meAnswer,
});

export const getProfile = operation({
  caller: 'required',
  method: 'get',
  path: '/auth/profile',
  describe: {
    tag: 'Accounts',
    summary: 'Get the profile of the caller',
    details: NOT_STORED,
    returns: 'The account.',
  },
  response: profileAnswer,
});

export const changeProfile = operation({
  caller: 'required',
  method: 'put',
  path: '/auth/profile',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Change the profile of the caller',
    details: 'Omitted members remain unchanged.',
    returns: 'The account after the change.',
    example: { body: { name: 'Ada Example', orcid: '0000-0002-1825-0097' } },
  },
  body: profileBody,
  response: profileAnswer,
});

export const deleteProfile = operation({
  caller: 'required',
  method: 'delete',
  path: '/auth/profile',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Delete the account of the caller permanently',
    details:
      'Sessions, tokens and personal data are deleted immediately. Published records remain, without their author. A password is checked if it is sent, and required with a personal access token. The last administrator cannot be deleted.',
    returns: 'A confirmation that the account is deleted.',
    errors: ['BAD_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
    example: { body: { password: 'a long and unusual password' } },
  },
  body: deleteBody,
  isBodyOptional: true,
  response: success,
});

const registerBody = z.strictObject({
  email: shortText,
  password: shortText,
  name: shortText,
  orcid: orcid.optional(),
});

/** The OpenAPI text of calls that must not reveal whether an address has an account. */
export const SAME_ANSWER =
  'The response is the same whether or not the address has an account. All further information is sent by email.';

export const register = operation({
  method: 'post',
  path: '/auth/register',
  caller: 'ignored',
  limit: 'accounts',
  describe: {
    tag: 'Accounts',
    summary: 'Register an account',
    details: `${SAME_ANSWER} The account can be used once the user has followed the link in the email. If the address is registered again before that, the user chooses the password through the link.`,
    returns: 'The address to which the email is sent.',
    status: 201,
    example: {
      body: {
        email: 'grace@example.org',
        password: 'a long and unusual password',
        name: 'Grace Example',
        orcid: '0000-0002-1825-0097',
      },
    },
  },
  body: registerBody,
  response: success.extend({ email: z.string() }),
});

const TOKEN_ERRORS = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] as const;

export const showEmailVerification = operation({
  caller: 'ignored',
  limit: 'accounts',
  method: 'get',
  path: '/auth/verify-email',
  describe: {
    tag: 'Accounts',
    summary: 'Verify an email address with the link from the email',
    details:
      'A browser (`Accept` prefers text/html) gets a page with a button that sends the POST request. For 24 hours after the verification, the link returns 200 again, because mail scanners open links before people do. After that, the link is refused.',
    returns: 'A confirmation that the account can be used.',
    otherTypes: ['text/html'],
    errors: TOKEN_ERRORS,
    example: { parameters: { token: 'the token of the link in the email' } },
  },
  query: z.object({ token: shortText }),
  response: success,
});

export const verifyEmail = operation({
  caller: 'ignored',
  limit: 'accounts',
  method: 'post',
  path: '/auth/verify-email',
  describe: {
    tag: 'Accounts',
    summary: 'Verify an email address with the token from the email',
    details: 'For 24 hours after the verification, the same token returns 200 again. After that, it is refused.',
    returns: 'A confirmation that the account can be used.',
    errors: TOKEN_ERRORS,
    example: { body: { token: 'the token of the link in the email' } },
  },
  response: success,
});

/** Declares an operation that sends an email to the given address if it needs one. */
function emailOperation<const Path extends string>(path: Path, summary: string) {
  return operation({
    method: 'post',
    path,
    caller: 'ignored',
    limit: 'accounts',
    describe: {
      tag: 'Accounts',
      summary,
      details: SAME_ANSWER,
      returns: 'A confirmation that an email is sent if one is needed.',
      example: { body: { email: 'grace@example.org' } },
    },
    body: z.strictObject({ email: shortText }),
    response: success,
  });
}

export const forgotPassword = emailOperation('/auth/forgot-password', 'Request a password reset email');

export const resendVerification = emailOperation('/auth/resend-verification', 'Send the verification email again');
