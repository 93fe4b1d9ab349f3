import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallRecord } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { TestStack } from '@esd/testing/stack';
import { login } from './support/admin.ts';
import { type Api, apiAt, isShareUsedUp } from './support/api.ts';
import { openApi } from './support/contract.ts';
import { FREEZE_MS } from './support/dataset.ts';
import { demoAdmin, demoContributor } from './support/demo-accounts.ts';
import { eventually } from '@esd/testing/eventually';
import { feedbackWithImage } from './support/feedback.ts';
import { uploadImage } from './support/images.ts';
import { tokenOf } from './support/mail.ts';
import { oneTimeCode } from './support/one-time-code.ts';
import {
  clientPython,
  type Examples,
  type Language,
  readExamples,
  type Runner,
  startRunner,
} from './support/run-examples.ts';
import { session } from './support/shapes.ts';

/** The languages whose examples run. Those in Python need the environment of the tests of the client. */
const LANGUAGES: readonly Language[] =
  process.env['ESD_TEST_MATRICES'] === undefined
    ? ['JavaScript']
    : ['curl', 'JavaScript', ...(clientPython() === undefined ? [] : ['Python' as const])];
/** A mail token works once, and the service deletes the image of the example. */
const PREPARED = ['getAuthVerifyEmail', 'getImagesImageIdContent'];
/** In the demo, no contributor chose to be named, and no record is pending or has an image or a message. */
const EMPTY = [
  'getContributorsList',
  'getDataPending',
  'getModerationSubmissions',
  'getExperimentsExperimentIdImages',
  'getDataRecordsRecordIdMessages',
];
/** An empty list, or a page with an empty list, as each language prints it. */
const NOTHING = /^(?:\{\s*['"]?data['"]?:\s*)?\[\s*\]/;
const withId = z.looseObject({ id: z.int() });

/** Returns the operations of a service, by id. */
async function operationsOf(api: Api) {
  const { paths } = openApi.parse((await api.get('/openapi.json')).json);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security }]) => ({ id: operationId, path, method, security })),
  );
}

/** Runs an example, again while other test files use up the share of analyses of this address. */
async function runPatiently(runner: Runner, code: string, token: string): Promise<string> {
  const run = () =>
    runner.run(code, token).then(
      (output) => ({ output }),
      (error: unknown) => ({ error }),
    );
  const outcome = await eventually(run, (one) => !('error' in one) || !isShareUsedUp(String(one.error)));
  if ('error' in outcome) throw outcome.error;
  return outcome.output;
}

describe.each(LANGUAGES)('the %s example of each read', (language) => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.end());

  test('works with the demo dataset and returns data', async () => {
    const stack = await sharedStack();
    const api = apiAt(stack.url);
    const examples = await readExamples(stack.url);
    const admin = await login(api, demoAdmin(stack.dataDir));
    const contributor = await login(api, demoContributor(stack.dataDir));
    // Their examples are created first.
    await api.post(
      '/public/queries',
      { filter: { polymer: 'PVDF', voltageMin: 15 }, sort: '-voltage' },
      { bearer: admin },
    );
    const snapshot = withId.parse(
      (await api.post('/versions', { name: 'an example', filterConfig: {} }, { bearer: admin })).json,
    );
    await api.post('/auth/tokens', { name: 'to be listed' }, { bearer: admin });
    const feedback = withId.parse((await api.post('/feedback/submit', feedbackWithImage)).json);
    const image = await uploadImage(api);
    const reads = (await operationsOf(api)).filter(({ method }) => method === 'get');
    expect(reads.length).toBeGreaterThan(70);
    for (const { id, path } of reads) {
      if (id === 'getAuthVerifyEmail') continue;
      let code = examples.get(id)?.[language] ?? '';
      expect([id, code.length > 20]).toEqual([id, true]);
      if (path.startsWith('/versions/{id}')) code = code.replace('/versions/1', `/versions/${snapshot.id}`);
      if (path.startsWith('/feedback/{id}')) code = code.replace('/feedback/1', `/feedback/${feedback.id}`);
      if (PREPARED.includes(id)) code = code.replace(/images\/[\w-]+/, `images/${image}`);
      const output = await runPatiently(runner, code, /^\/(?:data|experiments)\//.test(path) ? contributor : admin);
      if (!EMPTY.includes(id)) expect([id, output]).not.toEqual([id, expect.stringMatching(NOTHING)]);
    }
  });
});

describe.each(LANGUAGES)('the %s example of each write', (language) => {
  let stack: TestStack;
  let api: Api;
  let runner: Runner;
  beforeAll(async () => {
    stack = await leaseStack('fresh');
    api = apiAt(stack.url);
    runner = await startRunner(language);
  });
  afterAll(async () => {
    await runner.end();
    await stack.stop();
  });

  test('works with a new service, one after the other', async () => {
    const examples: Map<string, Examples> = await readExamples(stack.url);
    const done: string[] = [];
    const ada = { email: 'ada@example.org', password: 'correct horse battery staple' };
    let token = '';
    /** Runs an example, with values of this service in place of those that a document cannot know. */
    const run = async (id: string, values: Readonly<Record<string, string>> = {}): Promise<void> => {
      let code = examples.get(id)?.[language] ?? '';
      for (const [text, value] of Object.entries(values)) {
        expect([id, code.includes(text)]).toEqual([id, true]);
        code = code.replaceAll(text, () => value);
      }
      const output = await runner.run(code, token);
      // A repetition is a likely duplicate.
      if (id === 'postDataSubmit' && !done.includes(id)) expect(output).toMatch(/warnings['"]?: ?\[\]/);
      done.push(id);
    };
    const sessionOf = async (who: object) => session.parse((await api.post('/auth/login', who)).json);

    await run('postAuthAdminCreate');
    await run('postAuthLogin');
    await run('postAuthRefresh', {
      'the refreshToken of the last response': (await sessionOf({ ...ada, rememberMe: false })).refreshToken,
    });
    ({ token } = await sessionOf(ada));

    // Images and updates require a record with an owner.
    await api.post('/data/submit', { experimentData: [smallRecord] }, { bearer: token });
    for (let count = 0; count < 5; count += 1) await run('postDataSubmit');
    await run('postModerationRecordsIdApprove');
    await run('postModerationApprove');
    await run('postModerationRecordsIdReject');
    await run('postModerationReject');
    const { json: decisions } = await api.get('/moderation/decisions?limit=1', { bearer: token });
    const [decision] = z.looseObject({ data: z.array(withId) }).parse(decisions).data;
    await run('postModerationDecisionsIdUndo', { 4711: String(decision?.id) });
    await run('postModerationRecordsIdWithdraw');
    await run('postModerationRecordsIdRestore');
    await run('postModerationRecordsIdReopen');
    await run('postDataRecordsRecordIdMessages');
    await run('postDataRecordsRecordIdMessagesRead');
    await run('postImagesUpload');
    const image = '0197a0b0-0000-7000-8000-00000000000a';
    await run('postExperimentsExperimentIdImages', { [image]: await uploadImage(api) });
    await run('deleteImagesImageId', { '5e1b6f0c-3a51-4c7e-9f57-2f4f2a9d1c11': await uploadImage(api) });
    await run('putDataUpdateRecordId');
    await run('putDataUpdateSubmissionSubmissionId');
    await run('postDataParseExcel');
    await run('deleteAdminSubmissionsIdSubmitter');

    await run('postFeedbackSubmit');
    await run('patchFeedbackId');
    await run('deleteFeedbackId');
    await run('postAnalyticsView');
    await run('postVersions');
    await run('deleteVersionsId');
    await run('postPublicQueries');
    await run('postMcp');
    await run('postAdminVersions');
    // A busy service can answer with an error, which has no state.
    await eventually(
      async () => (await api.get('/admin/versions/1', { bearer: token })).json,
      (release) => z.looseObject({ state: z.string().optional() }).parse(release).state === 'FROZEN',
      FREEZE_MS,
    );
    await run('patchAdminVersionsId');

    for (const list of ['polymers', 'solvents', 'units', 'morphologies', 'instabilities', 'papers']) {
      const name = `Metadata${list.charAt(0).toUpperCase()}${list.slice(1)}`;
      await run(`post${name}`);
      const entries = JSON.stringify((await api.get(`/metadata/${list}`)).json);
      const id = Math.max(...[...entries.matchAll(/"id":(\d+)/g)].map(([, number]) => Number(number)));
      const values = { [`/${list}/1`]: `/${list}/${id}` };
      await run(`put${name}Id`, values);
      await run(`delete${name}Id`, values);
    }
    await run('postMetadataPapersImport');

    await run('postAuthTokens');
    await run('postAuthTokensIdRegenerate');
    await run('deleteAuthTokensId');
    await run('putAuthProfile');
    await run('postAuthRegister');
    await run('postAuthResendVerification');
    const mailed = 'the token of the link in the email';
    await run('postAuthVerifyEmail', { [mailed]: await tokenOf(stack.dataDir, 'grace@example.org', 2) });
    await run('postAuthForgotPassword');
    await run('postAuthResetPassword', { [mailed]: await tokenOf(stack.dataDir, 'grace@example.org', 3) });

    const accounts = z
      .object({ data: z.array(z.looseObject({ id: z.string(), email: z.string() })) })
      .parse((await api.get('/admin/accounts', { bearer: token })).json);
    const grace = accounts.data.find(({ email }) => email === 'grace@example.org')?.id ?? '';
    const ofAccount = examples.get('putAdminAccountsIdRole')?.curl.match(/accounts\/([\w-]+)/)?.[1] ?? '';
    await run('putAdminAccountsIdRole', { [ofAccount]: grace });
    await run('putAdminAccountsIdEnabled', { [ofAccount]: grace });
    await api.put(`/admin/accounts/${grace}/enabled`, { enabled: true }, { bearer: token });

    await sessionOf(ada);
    const sessions = z
      .array(z.looseObject({ id: z.string(), current: z.boolean() }))
      .parse((await api.get('/auth/sessions', { bearer: token })).json);
    const other = sessions.find(({ current }) => !current)?.id ?? '';
    await run('deleteAuthSessionsId', { '0b7e7f0e-3c9a-4f39-9d3a-6f3f0a1d2c4b': other });
    await run('postSession');
    await run('postSessionRefresh');
    await run('deleteSession');

    await run('postAuthLogout');
    ({ token } = await sessionOf(ada));
    await run('postAuthChangePassword');
    const password = /newPassword\W+([\w ]+)/.exec(examples.get('postAuthChangePassword')?.curl ?? '')?.[1] ?? '';
    const begin = { [ada.password]: password };
    await run('postAuthTwoFactor', begin);
    const begun = await api.post('/auth/two-factor', { password }, { bearer: token });
    const { secret } = z.object({ secret: z.string() }).parse(begun.json);
    await run('postAuthTwoFactorConfirm', { '123456': oneTimeCode(secret) });
    await run('deleteAuthTwoFactor', { ...begin, '123456': oneTimeCode(secret, 1) });
    await run('postAuthLogoutAll');

    ({ token } = await sessionOf({ email: 'grace@example.org', password }));
    await run('deleteAuthProfile', { 'a long and unusual password': password });

    const writes = (await operationsOf(api)).filter(({ method }) => method !== 'get');
    expect([...new Set(done)].sort()).toEqual(writes.map(({ id }) => id).sort());
  });
});
