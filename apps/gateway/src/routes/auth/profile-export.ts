import type { z } from 'zod';
import type { OwnChange } from '@esd/proto/esd/dataset/v1/snapshots';
import type { OwnAct } from '@esd/proto/esd/identity/v1/identity';
import type { accountAction, entryChange } from '@esd/api/accounts';
import { exportProfile } from '@esd/api/accounts';
import type { Call } from '../../http/call.ts';
import { sendJsonChunks } from '../../http/json-chunks.ts';
import type { Route } from '../../http/route.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { snapshotOf } from '../snapshots.ts';
import { profileOf } from './account-profile.ts';
import { sessionOf } from './sessions.ts';
import { tokenOf } from './tokens.ts';
import { serve } from '../../http/serve.ts';

const ACTS_A_CALL = 1_000;
const MAX_ACTS = 10_000;

type Services = Pick<Upstream, 'identity' | 'sessions' | 'tokens' | 'snapshots' | 'submission'>;

export function profileExportRoutes(services: Services): Route[] {
  return [
    serve(exportProfile, {
      targets: [
        'esd.identity.v1.IdentityService',
        'esd.identity.v1.SessionService',
        'esd.identity.v1.TokenService',
        'esd.dataset.v1.SnapshotService',
        'esd.submission.v1.SubmissionService',
      ],
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
      ownActions(identity, call),
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

function changeOf({ at, action, of }: OwnChange): z.output<typeof entryChange> {
  if (!at || !of) throw new Error(`the change "${action}" has no time or target`);
  return {
    at: at.toISOString(),
    action,
    ...(of.$case === 'entry' ? of.value : { version: of.value }),
  };
}

async function ownActions(identity: Services['identity'], call: Call): Promise<z.output<typeof accountAction>[]> {
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
