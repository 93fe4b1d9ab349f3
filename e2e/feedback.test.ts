import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { newContributor } from './support/accounts.ts';
import { newAdmin } from './support/admin.ts';
import { type Answer, apiAt } from './support/api.ts';
import { expectError } from './support/errors.ts';
import { feedbackWithImage, PNG } from './support/feedback.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);

let admin: string;
beforeAll(async () => {
  ({ token: admin } = await newAdmin(stack, api));
  // The first feedback of this stack has an image, regardless of the order of the tests.
  await api.post('/feedback/submit', feedbackWithImage);
});

const made = z.strictObject({ id: z.int().min(1), success: z.literal(true), message: z.string().min(1) });
const feedback = z.strictObject({
  id: z.int().min(1),
  name: z.string(),
  category: z.string(),
  subject: z.string(),
  message: z.string(),
  hasImage: z.boolean(),
  state: z.enum(['OPEN', 'IN_PROGRESS', 'CLOSED']),
  note: z.string().optional(),
  submittedAt: z.iso.datetime(),
  changedAt: z.iso.datetime().optional(),
  changedBy: z.uuid().optional(),
});
const page = z.strictObject({ data: z.array(feedback), total: z.int(), skip: z.int(), limit: z.int() });

const words = { name: 'Ada', category: 'other', subject: 'Thanks', message: 'It works.' };
const send = (body: object, base = ''): Promise<Answer> => api.post(`${base}/feedback/submit`, body);
const sendGood = async (body: object = words): Promise<number> => {
  const answer = await send(body);
  expect(answer.status).toBe(201);
  return made.parse(answer.json).id;
};
const read = async (id: number) => feedback.parse((await api.get(`/feedback/${id}`, { bearer: admin })).json);
const change = (id: number, body: object): Promise<Answer> => api.patch(`/feedback/${id}`, body, { bearer: admin });

describe('POST /feedback/submit', () => {
  test('accepts feedback without an account', async () => {
    for (const base of ['', '/api']) {
      const answer = await send(words, base);
      expect(answer.status).toBe(201);
      const { id } = made.parse(answer.json);
      expect(await read(id)).toEqual({ id, ...words, hasImage: false, state: 'OPEN', submittedAt: expect.any(String) });
    }
  });

  test.each([
    ['null instead of an image', { ...words, imageBase64: null }],
    ['an empty text instead of an image', { ...words, imageBase64: '' }],
    ['empty texts in addition to a message', { name: '', category: '', subject: '', message: 'x' }],
    [
      'the longest texts',
      { name: 'é'.repeat(200), category: 'c'.repeat(60), subject: '漢'.repeat(200), message: '漢'.repeat(10_000) },
    ],
  ])('accepts %s', async (_, body) => {
    expect(await read(await sendGood(body))).toMatchObject({ hasImage: false, message: body.message });
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['name', 'category', 'subject', 'message']],
    ['no message', { ...words, message: '  ' }, ['message']],
    ['a long message', { ...words, message: 'x'.repeat(10_001) }, ['message']],
    ['a long name', { ...words, name: 'x'.repeat(201) }, ['name']],
    ['a long category', { ...words, category: 'x'.repeat(61) }, ['category']],
    ['a long subject', { ...words, subject: 'x'.repeat(201) }, ['subject']],
    ['a NUL', { ...words, subject: 'a\0b' }, ['subject']],
    ['a bidirectional override', { ...words, message: 'a\u202Eb' }, ['message']],
    ['a number instead of a text', { ...words, name: 7 }, ['name']],
    ['a mistyped member', { ...words, imageBase46: 'x' }, ['imageBase46']],
    ['a text instead of an image', { ...words, imageBase64: 'no image' }, ['imageBase64']],
    ['a GIF', { ...words, imageBase64: Buffer.from('GIF89a').toString('base64') }, ['imageBase64']],
  ])('rejects %s with the path', async (_, body, paths) => {
    const { errors } = expectError(await send(body), 400, 'VALIDATION_FAILED');
    expect(errors?.map(({ path }) => path)).toEqual(paths);
  });

  test('checks a credential if one is sent', async () => {
    const answer = await api.post('/feedback/submit', words, { bearer: 'nonsense' });
    expectError(answer, 401, 'TOKEN_INVALID');
  });
});

describe('an image', () => {
  const dataUrl = `data:image/png;base64,${PNG.toString('base64')}`;

  test('is available to administrators only, byte for byte', async () => {
    const id = await sendGood({ ...words, imageBase64: dataUrl });
    expect((await read(id)).hasImage).toBe(true);
    const path = `${stack.url}/feedback/${id}/image`;
    const answer = await fetch(path, { headers: { authorization: `Bearer ${admin}` } });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="feedback-${id}.png"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    });
    expectError(await api.get(`/feedback/${id}/image`), 401, 'AUTH_REQUIRED');
    const { token: other } = await newContributor(api, stack.dataDir);
    expectError(await api.get(`/feedback/${id}/image`, { bearer: other }), 403, 'FORBIDDEN');
    const without = await sendGood();
    expectError(await api.get(`/feedback/${without}/image`, { bearer: admin }), 404, 'FEEDBACK_NOT_FOUND');
  });

  test('may have at most 5 MiB', async () => {
    const large = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]).toString('base64');
    const MIB = 1024 * 1024;
    const id = await sendGood({ ...words, message: '漢'.repeat(10_000), imageBase64: large(5 * MIB) });
    expect((await read(id)).hasImage).toBe(true);
    expectError(await send({ ...words, imageBase64: large(5 * MIB + 1) }), 413, 'PAYLOAD_TOO_LARGE', /5242880/);
    expectError(await send({ ...words, imageBase64: large(8 * MIB) }), 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('for administrators', () => {
  test('the list is sorted newest first, in pages, by state', async () => {
    const ids = [await sendGood(), await sendGood(), await sendGood()].reverse();
    const list = async (query: string) => {
      const answer = await api.get(`/feedback${query}`, { bearer: admin });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      return page.parse(answer.json);
    };
    expect((await list('?limit=3')).data.map(({ id }) => id)).toEqual(ids);
    expect((await list('?state=OPEN&skip=1&limit=1')).data.map(({ id }) => id)).toEqual([ids[1]]);
    const before = (await list('?state=CLOSED')).total;
    await change(ids[0] ?? 0, { state: 'CLOSED' });
    const closed = await list('?state=CLOSED');
    expect([closed.total, closed.data[0]?.id]).toEqual([before + 1, ids[0]]);
    expectError(await api.get('/feedback?state=open', { bearer: admin }), 400, 'INVALID_PARAMETER', /IN_PROGRESS/);
  });

  test('a page of the longest messages is complete', async () => {
    for (let index = 0; index < 20; index += 1) await sendGood({ ...words, message: '漢'.repeat(10_000) });
    const { data, total } = page.parse((await api.get('/feedback?limit=1000', { bearer: admin })).json);
    expect(data).toHaveLength(Math.min(total, 1_000));
  });

  test('state and note change, and the actor is recorded', async () => {
    const id = await sendGood();
    const answer = await change(id, { state: 'IN_PROGRESS', note: 'Asked the authors.' });
    expect(feedback.parse(answer.json)).toMatchObject({
      state: 'IN_PROGRESS',
      note: 'Asked the authors.',
      changedBy: expect.any(String),
      changedAt: expect.any(String),
    });
    await change(id, { state: 'CLOSED' });
    expect(await read(id)).toMatchObject({ state: 'CLOSED', note: 'Asked the authors.' });
    await change(id, { state: 'OPEN', note: '' });
    expect(await read(id)).not.toHaveProperty('note');
  });

  test.each<[object, string]>([
    [{}, 'state'],
    [{ state: 'DONE' }, 'state'],
    [{ state: 'OPEN', note: 'x'.repeat(2_001) }, 'note'],
    [{ state: 'OPEN', message: 'another' }, 'message'],
  ])('the change %j is rejected', async (body, path) => {
    const { errors } = expectError(await change(1, body), 400, 'VALIDATION_FAILED');
    expect(errors?.map((error) => error.path)).toEqual([path]);
  });

  test('deleted feedback is gone, with its image', async () => {
    const id = await sendGood({ ...words, imageBase64: PNG.toString('base64') });
    const remove = (bearer?: string) => api.delete(`/feedback/${id}`, bearer === undefined ? {} : { bearer });
    expectError(await remove(), 401, 'AUTH_REQUIRED');
    expectError(await remove((await newContributor(api, stack.dataDir)).token), 403, 'FORBIDDEN');
    const answer = await remove(admin);
    expect([answer.status, answer.json]).toEqual([
      200,
      { success: true, message: `Feedback message ${id} is deleted.` },
    ]);
    for (const path of [`/feedback/${id}`, `/feedback/${id}/image`]) {
      expectError(await api.get(path, { bearer: admin }), 404, 'FEEDBACK_NOT_FOUND');
    }
    expectError(await remove(admin), 404, 'FEEDBACK_NOT_FOUND');
  });

  test('unknown feedback returns 404', async () => {
    expectError(await api.get('/feedback/1000000', { bearer: admin }), 404, 'FEEDBACK_NOT_FOUND');
    expectError(await api.get('/feedback/1000000/image', { bearer: admin }), 404, 'FEEDBACK_NOT_FOUND');
    expectError(await change(1_000_000, { state: 'OPEN' }), 404, 'FEEDBACK_NOT_FOUND');
    expectError(await api.get('/feedback/x', { bearer: admin }), 400, 'INVALID_PARAMETER');
  });
});
