import * as z from 'zod/mini';
import { requestSignedIn } from '../client/session.ts';
import type { RequestOptions } from '../client/request.ts';

// Compiling a schema needs eval, which the content security policy forbids.
z.config({ jitless: true });

const status = z.enum(['PENDING', 'APPROVED', 'REJECTED', 'NEEDS_UPDATE']);

export const profile = z.object({
  email: z.string(),
  role: z.enum(['USER', 'MODERATOR', 'ADMIN']),
  createdAt: z.string(),
  name: z.string(),
  orcid: z.optional(z.string()),
});

/** Oldest first. */
export const submissions = z.array(
  z.object({
    submissionId: z.number(),
    status: z.union([status, z.literal('MIXED'), z.literal('EMPTY')]),
    submittedAt: z.string(),
    recordCount: z.number(),
    counts: z.partialRecord(status, z.number()),
    unread: z.number(),
    needsAnswer: z.boolean(),
    records: z.array(z.object({ recordId: z.number(), unread: z.number(), needsAnswer: z.boolean() })),
  }),
);

/** Newest message first. */
export const unread = z.object({
  records: z.array(z.object({ recordId: z.number(), messages: z.number(), needsAnswer: z.boolean() })),
});

const components = z.optional(
  z.array(z.object({ polymerName: z.optional(z.string()), solventName: z.optional(z.string()) })),
);

export const submission = z.object({
  experimentData: z.array(
    z.object({
      recordId: z.number(),
      status,
      missingFields: z.array(z.string()),
      rejectionReason: z.optional(z.string()),
      revision: z.number(),
      publishedRevision: z.optional(z.number()),
      withdrawn: z.optional(z.object({ at: z.string(), reason: z.string() })),
      polymerProperty: z.optional(z.object({ polymerComponents: components })),
      solventProperty: z.optional(z.object({ solventComponents: components })),
    }),
  ),
});

/** Oldest first. */
export const history = z.array(
  z.object({
    at: z.string(),
    action: z.string(),
    revision: z.number(),
    by: z.enum(['owner', 'moderator', 'service']),
    reason: z.optional(z.string()),
    changes: z.optional(
      z.array(z.object({ path: z.string(), before: z.optional(z.unknown()), after: z.optional(z.unknown()) })),
    ),
  }),
);

export const token = z.object({
  id: z.number(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  expiresAt: z.optional(z.string()),
  lastUsedAt: z.optional(z.string()),
  status: z.enum(['ACTIVE', 'EXPIRED', 'REVOKED']),
});
export const tokens = z.array(token);
/** A token with its secret, which the service returns only once. */
export const newToken = z.extend(token, { token: z.string() });

export const snapshots = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.optional(z.string()),
    filterConfig: z.record(z.string(), z.unknown()),
    recordCount: z.number(),
    createdAt: z.string(),
  }),
);

export const sessions = z.array(
  z.object({
    id: z.string(),
    createdAt: z.string(),
    expiresAt: z.string(),
    current: z.boolean(),
    network: z.optional(z.string()),
    userAgent: z.optional(z.string()),
  }),
);

export const twoFactor = z.object({ enabled: z.boolean(), recoveryCodesLeft: z.number() });
export const enrollment = z.object({ secret: z.string(), otpauthUrl: z.string() });
export const recoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

export type Status = z.infer<typeof status>;
export type Submission = z.infer<typeof submissions>[number];
export type OwnRecord = z.infer<typeof submission>['experimentData'][number];
export type UnreadThread = z.infer<typeof unread>['records'][number];
export type Token = z.infer<typeof token>;
export type NewToken = z.infer<typeof newToken>;

/** Sends a request of the signed-in user and parses the body. Throws as `requestSignedIn` does, and an Error if the body has another shape. */
export async function read<Shape extends z.ZodMiniType>(
  shape: Shape,
  address: string,
  options?: RequestOptions,
): Promise<z.infer<Shape>> {
  return z.parse(shape, (await requestSignedIn(address, options)).body);
}
