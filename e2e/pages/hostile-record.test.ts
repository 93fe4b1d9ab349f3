import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import { inBrowser, overflow, violations } from '../browser.ts';
import { apiAt } from '../support/api.ts';
import { approveRecords, submitRecords, untilPublic } from '../support/dataset.ts';
import { newStaff, signInOn } from '../support/staff.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);

// Ends of script blocks and attributes, the line separators of JavaScript, right-to-left text, and a long text without line breaks.
const HOSTILE = `</script><img src=x onerror="window.wasRun = 1">"'&\u2028\u2029\u05D0\u200F <!-- ${'x'.repeat(300)}`;
const SHORT = HOSTILE.slice(0, 400);

let record = 0;
let pending = 0;
let staff: Awaited<ReturnType<typeof newStaff>>;
beforeAll(async () => {
  staff = await newStaff(stack, api);
  const one = (voltage: number) => ({
    ...recordAt(voltage),
    needleProperty: { needleType: SHORT },
    collectorProperty: { collectorType: SHORT },
  });
  const body = {
    researchMetadata: { publicationTitle: HOSTILE, doi: `https://example.org/${SHORT}`, deviceModel: SHORT },
    userMetadata: anonymousSubmitter,
    experimentData: [one(12), one(13), one(14)],
  };
  const ids = await submitRecords(api, body);
  [record = 0, , pending = 0] = ids;
  await approveRecords(api, ids.slice(0, 2), staff.token);
  await untilPublic(api, ids.slice(0, 2));
});

inBrowser(stack.url, 'a record with hostile texts', (open) => {
  const addresses = (): string[] => [
    '/',
    `/record/${record}`,
    `/explore?compare=${record}&tab=compare`,
    ...['overview', 'table', 'map', 'scatter', 'coverage', 'papers', 'nearest'].map((tab) => `/explore?tab=${tab}`),
    `/search?q=${encodeURIComponent(HOSTILE)}`,
    `/feedback?record=${record}`,
    '/contributors',
    '/releases',
    '/about',
    '/data-dictionary',
    `/paper/${encodeURIComponent(`https://example.org/${SHORT}`)}`,
  ];

  test('runs no script, and every page fits on a phone', async () => {
    for (const address of addresses()) {
      const { page, context, problems } = await open(address, { viewport: { width: 320, height: 800 } });
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([address, await overflow(page)]).toEqual([address, 0]);
      expect([address, await page.evaluate('"wasRun" in window')]).toEqual([address, false]);
      expect([address, problems]).toEqual([address, []]);
      await context.close();
    }
  });

  test('is plain text on the moderation page', async () => {
    const { page, context, problems } = await open(`/moderate?status=PENDING&record=${pending}`, {
      viewport: { width: 320, height: 800 },
    });
    await signInOn(page, staff.moderator);
    await page.getByText('<img src=x onerror=').first().waitFor();
    expect([await overflow(page), await page.evaluate('"wasRun" in window')]).toEqual([0, false]);
    expect(await violations(page)).toEqual([]);
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
    await context.close();
  });
});
