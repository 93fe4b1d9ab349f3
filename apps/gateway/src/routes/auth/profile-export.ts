import { z } from 'zod';
import type { OwnChange } from '@esd/proto/esd/dataset/v1/snapshots';
import type { OwnAct } from '@esd/proto/esd/identity/v1/identity';
import type { Call } from '../../http/call.ts';
import { sendJsonChunks } from '../../http/json-chunks.ts';
import { route, type Route } from '../../http/route.ts';
import { recordStatus } from '@esd/api/record-status';
import { withdrawn } from '@esd/api/withdrawn';
import type { Upstream } from '../../upstream/upstream.ts';
import { snapshot, snapshotOf } from '../snapshots.ts';
import { profileAnswer, profileOf } from './account-profile.ts';
import { session, sessionOf } from './sessions.ts';
import { token, tokenOf } from './tokens.ts';

const ACTS_A_CALL = 1_000;
const MAX_ACTS = 10_000;

const time = z.iso.datetime();
const act = z.strictObject({
  id: z.int(),
  at: time,
  action: z.string(),
  clientIp: z.string().optional().meta({ description: 'Absent once it is erased.' }),
});
const change = z.strictObject({
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
    tokens: z.array(token),
    snapshots: z.array(snapshot),
    acts: z
      .array(act)
      .meta({ description: `The actions of the caller on accounts, sessions and tokens; at most the newest 10,000.` }),
    changes: z.array(change).meta({
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

type Services = Pick<Upstream, 'identity' | 'sessions' | 'tokens' | 'snapshots' | 'submission'>;

export function profileExportRoutes(services: Services): Route[] {
  return [
    route({
      method: 'get',
      path: '/auth/profile/export',
      caller: 'session',
      targets: [
        'esd.identity.v1.IdentityService',
        'esd.identity.v1.SessionService',
        'esd.identity.v1.TokenService',
        'esd.dataset.v1.SnapshotService',
        'esd.submission.v1.SubmissionService',
      ],
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
      answer: ownData,
      handle: async ({ call }, response) => {
        response.set('Content-Disposition', 'attachment; filename="my-data.json"');
        await sendJsonChunks(response, ownDataJson(services, call));
      },
    }),
  ];
}

/** Yields the export in chunks. The first chunk waits for all services, so that a failure can still set the status. */
async function* ownDataJson(services: Services, call: Call): AsyncGenerator<{ json: Uint8Array }> {
  const { identity, sessions, tokens, snapshots, submission } = services;
  const records = submission.exportOwnData({}, call)[Symbol.asyncIterator]();
  try {
    const [{ account }, ownSessions, ownTokens, ownSnapshots, ownChanges, acts, first] = await Promise.all([
      identity.getOwnAccount({}, call),
      sessions.listSessions({}, call),
      tokens.listTokens({}, call),
      snapshots.listSnapshots({}, call),
      snapshots.listOwnChanges({}, call),
      ownActs(identity, call),
      records.next(),
    ]);
    const head = {
      exportedAt: new Date().toISOString(),
      account: profileOf(account),
      sessions: ownSessions.sessions.map(sessionOf),
      tokens: ownTokens.tokens.map(tokenOf),
      snapshots: ownSnapshots.snapshots.map((one) => snapshotOf(one).answer),
      acts,
      changes: ownChanges.changes.map(changeOf),
    };
    yield { json: Buffer.from(`${JSON.stringify(head).slice(0, -1)},`) };
    for (let next = first; next.done !== true; next = await records.next()) yield next.value;
    yield { json: Buffer.from('}') };
  } finally {
    await records.return?.();
  }
}

function changeOf({ at, action, of }: OwnChange): z.output<typeof change> {
  if (!at || !of) throw new Error(`the change "${action}" has no time or target`);
  return {
    at: at.toISOString(),
    action,
    ...(of.$case === 'entry' ? of.value : { version: of.value }),
  };
}

async function ownActs(identity: Services['identity'], call: Call): Promise<z.output<typeof act>[]> {
  const acts: OwnAct[] = [];
  for (;;) {
    const page = await identity.listOwnActs({ limit: ACTS_A_CALL, beforeId: acts.at(-1)?.id }, call);
    acts.push(...page.acts);
    if (page.acts.length < ACTS_A_CALL || acts.length >= MAX_ACTS) break;
  }
  return acts.map(({ at, ...rest }) => {
    if (!at) throw new Error(`audit entry ${rest.id} has no time`);
    return { ...rest, at: at.toISOString() };
  });
}
