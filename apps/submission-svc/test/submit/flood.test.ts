import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Caller } from '@esd/service/auth/caller-assertion';
import { submit, type SubmitContext } from '../../src/submit/submit.ts';
import { updateSubmission } from '../../src/update/update.ts';
import { withImages } from '../image-builders.ts';
import { InMemoryImages } from '../in-memory-images.ts';
import { recordAt, recordOf } from '@esd/testing/records';
import { submitRequest, openTestDatabase, testContext, user } from '../builders.ts';

const LARGE = 1_000;
const BODIES = 24;

let media: InMemoryImages;
let context: SubmitContext;
const { database, close } = await openTestDatabase();
afterAll(() => close());
beforeEach(() => {
  media = new InMemoryImages();
  context = { ...testContext(database), images: media };
});

const flooder: Caller = { ...user, accountId: '0190d2b0-0000-7000-8000-0000000000f1' };
const bytes = (experimentData: object[]) => Buffer.from(JSON.stringify({ experimentData }));
const large = bytes(Array.from({ length: LARGE }, (_, index) => recordAt(index + 1, 'PCL')));
const small = bytes([recordOf('PCL')]);
const send = (json: Buffer, caller = user, validateOnly = false) =>
  submit(context, { ...submitRequest(caller), json, validateOnly });

/** Counts the requests of a flood that finish before another request, which is sent after all of them. */
async function answeredBefore(flood: () => Promise<{ kind: string }>, other: () => Promise<{ kind: string }>) {
  let answered = 0;
  const flooding = Array.from({ length: BODIES }, async () => {
    const { kind } = await flood();
    answered += 1;
    return kind;
  });
  const floodKinds = Promise.all(flooding);
  const { kind } = await other().catch(() => ({ kind: 'failed' }));
  const before = answered;
  return { before, kinds: [kind, ...new Set(await floodKinds)] };
}

describe('a flood of large bodies of one client does not delay the small submission of another', () => {
  test('if the bodies are submissions', async () => {
    const { before, kinds } = await answeredBefore(
      () => send(large, flooder),
      () => send(small),
    );
    expect(kinds).toEqual(['stored', 'stored']);
    expect(before).toBeLessThan(4);
  });

  test('if the bodies are only validated', async () => {
    const { before, kinds } = await answeredBefore(
      () => send(large, flooder, true),
      () => send(small),
    );
    expect(kinds).toEqual(['stored', 'checked']);
    expect(before).toBeLessThan(4);
  });

  test('if the bodies are updates', async () => {
    const stored = await send(large, flooder);
    if (stored.kind !== 'stored') throw new Error(JSON.stringify(stored));
    const { submissionId } = stored;
    const { before, kinds } = await answeredBefore(
      async () => {
        const request = { ...submitRequest(flooder), caller: flooder, submissionId, entityTags: [], json: large };
        await updateSubmission(context, request);
        return { kind: 'updated' };
      },
      () => send(small),
    );
    expect(kinds).toEqual(['stored', 'updated']);
    expect(before).toBeLessThan(4);
  });
});

describe('while media-svc does not respond', () => {
  test.each(['reserve', 'claim'] as const)('to %s, other submissions are stored', async (method) => {
    const blocked = media.block(method);
    const waiting = send(bytes([withImages({ imageId: media.upload() })]), flooder);
    await blocked.reached;
    expect(await send(small)).toMatchObject({ kind: 'stored' });
    blocked.end();
    expect(await waiting).toMatchObject({ kind: 'stored' });
  });
});

test('ids have no gaps even if concurrent submissions fail', async () => {
  await sql`
    create function fail_some() returns trigger language plpgsql as $$
    begin
      if new.user_metadata ->> 'name' = 'fails' then raise exception 'this one fails'; end if;
      return new;
    end $$`.execute(database);
  await sql`create trigger fail_some before insert on submitter for each row execute function fail_some()`.execute(
    database,
  );
  const before = await database.selectFrom('last_id').select(['name', 'value']).orderBy('name').execute();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) =>
      submit(context, {
        ...submitRequest({ ...user, accountId: `0190d2b0-0000-7000-8000-0000000001${10 + (index % 7)}` }),
        json: Buffer.from(
          JSON.stringify({
            userMetadata: { name: index % 3 === 0 ? 'fails' : 'Ada' },
            experimentData: Array.from({ length: 1 + (index % 5) }, () => recordOf('PCL')),
          }),
        ),
      }),
    ),
  );
  await sql`drop trigger fail_some on submitter`.execute(database);
  const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(stored).toHaveLength(20);
  const given = stored.flatMap((one) => (one.kind === 'stored' ? [one] : []));
  const [record = 0, submission = 0] = before.map(({ value }) => value);
  const recordIds = given.flatMap(({ records }) => records.map(({ recordId }) => recordId)).sort((a, b) => a - b);
  expect(recordIds).toEqual(recordIds.map((_, index) => record + 1 + index));
  const submissionIds = given.map(({ submissionId }) => submissionId).sort((a, b) => a - b);
  expect(submissionIds).toEqual(submissionIds.map((_, index) => submission + 1 + index));
});
