import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { inBrowser } from '../browser.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { newStaff, signInOn } from '../support/staff.ts';

const stack: TestStack = await leaseStack('moderated');
const api = apiAt(stack.url);
const NAME = `Sender ${randomBytes(6).toString('hex')}`;
let staff: Awaited<ReturnType<typeof newStaff>>;
beforeAll(async () => {
  staff = await newStaff(stack, api);
});
afterAll(() => stack.stop());

inBrowser(stack.url, '/moderate', (open) => {
  test('a moderator approves with a key, rejects with a reason, learns of an earlier decision, and sees the record', async () => {
    const ids = await submitRecords(api, {
      userMetadata: { ...anonymousSubmitter, name: NAME },
      experimentData: [11, 12, 13, 14].map((voltage) => recordAt(voltage)),
    });
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    const { page, context, problems } = await open(`/moderate?submitter=${encodeURIComponent(NAME)}`);
    await signInOn(page, staff.moderator);
    const heading = (text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor();

    await heading(`New record ${first}`);
    await page.getByRole('rowheader', { name: 'Voltage' }).waitFor();
    await page.keyboard.press('a');
    await page.getByText(`Record ${first} was approved.`).waitFor();

    await heading(`New record ${second}`);
    await page.keyboard.press('r');
    // In the field, keys are letters and approve nothing.
    await page.getByLabel('Reason', { exact: true }).press('a');
    const send = page.getByRole('button', { name: `Reject record ${second}` });
    await page.getByLabel('Reason', { exact: true }).fill('');
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('Reason', { exact: true }).fill('The paper gives 21 kV.');
    await send.click();
    await page.getByText(`Record ${second} was rejected.`).waitFor();
    const rejected = await api.get(`/moderation/records/${second}`, { bearer: staff.token });
    expect(rejected.json).toMatchObject({
      status: 'REJECTED',
      history: expect.arrayContaining([expect.objectContaining({ reason: 'The paper gives 21 kV.' })]),
    });

    await heading(`New record ${third}`);
    await api.post(`/moderation/records/${third}/approve`, {}, { bearer: staff.token });
    await page.keyboard.press('a');
    await page.getByText(`Record ${third} was approved by someone else at `).waitFor();
    await heading(`New record ${fourth}`);

    await untilPublic(api, [first]);
    await page.goto(`${stack.url}/record/${first}`);
    expect(await page.getByText('11\u202fkV').first().isVisible()).toBe(true);
    // Only the conflict may be logged.
    expect(problems.filter((text) => !text.includes('409'))).toEqual([]);
    await context.close();
  });
});
