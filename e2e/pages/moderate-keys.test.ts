import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import type { TestStack } from '@esd/testing/stack';
import { inBrowser } from '../browser.ts';
import { addAccount } from '../support/accounts.ts';
import { login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { newAddress } from '../support/new-address.ts';
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
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText(`Record ${third} was approved by someone else at `).waitFor();
    await heading(`New record ${fourth}`);

    await untilPublic(api, [first]);
    await page.goto(`${stack.url}/record/${first}`);
    expect(await page.getByText('11\u202fkV').first().isVisible()).toBe(true);
    // Only the conflict may be logged.
    expect(problems.filter((text) => !text.includes('409'))).toEqual([]);
    await context.close();
  });

  test('after a decision, the next record has the focus, and a key press within 400 ms decides nothing', async () => {
    const name = `Sender ${randomBytes(6).toString('hex')}`;
    const [first = 0, second = 0, third = 0] = await submitRecords(api, {
      userMetadata: { ...anonymousSubmitter, name },
      experimentData: [21, 22, 23].map((voltage) => recordAt(voltage)),
    });
    const { page, context } = await open(`/moderate?submitter=${encodeURIComponent(name)}`);
    await signInOn(page, staff.moderator);
    await page.getByRole('heading', { level: 1, name: `New record ${first}` }).waitFor();
    // The page itself presses the key again as soon as it shows the next record.
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector('h1')?.textContent !== 'New record ${second}') return;
      observer.disconnect();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    await page.keyboard.press('a');
    await page.getByText(`Record ${first} was approved.`).waitFor();
    await page
      .getByRole('heading', { level: 1, name: `New record ${second}` })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Reason', { exact: true }).fill('The paper gives 23 kV.');
    await page.getByRole('button', { name: `Reject record ${second}` }).click();
    await page.getByText(`Record ${second} was rejected.`).waitFor();
    await page.getByRole('heading', { level: 1, name: `New record ${third}` }).waitFor();
    await context.close();
  });

  test('m leads from a record to the field for a message, in which keys are letters', async () => {
    const { who } = await addAccount(stack, staff.admin, newAddress('owner'));
    const [id = 0] = await submitRecords(api, { experimentData: [recordAt(15)] }, await login(api, who));
    const { page, context, problems } = await open(`/moderate?record=${id}`);
    await signInOn(page, staff.moderator);
    await page.getByRole('region', { name: 'Messages with the contributor' }).waitFor();
    await page.keyboard.press('m');
    await page.keyboard.type('Is a drum meant?');
    expect(await page.getByLabel('Write to the contributor').inputValue()).toBe('Is a drum meant?');
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('listitem', { name: /Is a drum meant\?$/ }).waitFor();
    expect((await api.get(`/moderation/records/${id}`, { bearer: staff.token })).json).toMatchObject({
      status: 'PENDING',
    });
    // No message is unread: the moderator wrote the newest one.
    expect(await page.getByRole('button', { name: /^Mark as read/ }).count()).toBe(0);
    // After the decision, the queue no longer lists the submission.
    const waiting = page.getByText(/^Waiting: \d+$/);
    const before = Number((await waiting.innerText()).replace('Waiting: ', ''));
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText(`Waiting: ${before - 1}`, { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
