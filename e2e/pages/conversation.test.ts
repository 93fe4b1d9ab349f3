import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { smallSubmission } from '@esd/testing/records';
import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { inBrowser, overflow, untilTrue, violations } from '../browser.ts';
import { addAccount } from '../support/accounts.ts';
import { login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { newAddress } from '../support/new-address.ts';
import { newStaff, signInOn } from '../support/staff.ts';

const stack = await leaseStack('moderated');
const api = apiAt(stack.url);
let staff: Awaited<ReturnType<typeof newStaff>>;
beforeAll(async () => {
  staff = await newStaff(stack, api);
});
afterAll(() => stack.stop());

const QUESTION = 'Which solvent did you use?';

async function newOwner() {
  const { who } = await addAccount(stack, staff.admin, newAddress('asked'));
  return { who, bearer: await login(api, who) };
}
async function write(id: number, text: string, bearer = staff.token): Promise<void> {
  expect((await api.post(`/data/records/${id}/messages`, { text }, { bearer })).status).toBe(201);
}
/** Counts the requests for the counts of the header. */
function countRequests(context: BrowserContext): () => number {
  let count = 0;
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/data/unread') count += 1;
  });
  return () => count;
}
const accountLink = (page: Page, count: number) =>
  page.getByRole('link', {
    name: count === 0 ? 'My account' : `My account (${count}) unread message${count === 1 ? '' : 's'}`,
    exact: true,
  });
/** Waits until the browser has stored the counts of the header. */
const untilCounted = (page: Page) => untilTrue(page, `localStorage.getItem('esd-unread') !== null`);
/** Waits until the element with the focus has this text. */
const untilFocused = (page: Page, text: RegExp) =>
  eventually(
    async () => z.string().parse(await page.evaluate('document.activeElement.textContent')),
    (found) => text.test(found),
  );

inBrowser(stack.url, 'the conversation about a record', (open) => {
  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('an author sees a question after one click and answers after three, in %s at %i px', async (...theme) => {
    const [colorScheme, width] = theme;
    const { who, bearer } = await newOwner();
    const [first = 0, second = 0] = await submitRecords(api, smallSubmission(2), bearer);
    const { page, context, problems } = await open('/account', { colorScheme, viewport: { width, height: 800 } });
    await signInOn(page, who);
    await accountLink(page, 0).waitFor();
    await page.getByRole('heading', { name: 'Submissions' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Needs your answer' }).count()).toBe(0);
    await untilCounted(page);
    await write(first, 'And the needle?');
    await write(second, QUESTION);
    // Another visit, later.
    await page.evaluate('localStorage.removeItem("esd-unread")');
    await page.goto(`${stack.url}/releases`);
    await accountLink(page, 2).click();

    const section = page.getByRole('region', { name: 'Needs your answer' });
    await section.getByText(QUESTION).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).first().innerText()).toBe('Needs your answer');
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    const field = section.getByLabel(`Your answer about record ${second}`);
    await field.click();
    await page.keyboard.type('DMF.');
    await section.getByRole('button', { name: 'Send message' }).first().click();
    await section.getByRole('listitem', { name: /^You, .*DMF\.$/ }).waitFor();
    await untilFocused(page, /^You, .*DMF\.$/);
    expect(await field.inputValue()).toBe('');
    // The record in the section and in the table of submissions.
    expect(await section.getByRole('button', { name: `Messages of record ${second}`, exact: true }).count()).toBe(1);
    await accountLink(page, 1).waitFor();
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the link of a mail opens the thread of its record, which the author marks as read', async () => {
    const { who, bearer } = await newOwner();
    const [asked = 0, approved = 0, silent = 0] = await submitRecords(api, smallSubmission(3), bearer);
    await write(asked, QUESTION);
    await write(approved, 'Thank you.');
    expect((await api.post('/moderation/approve', { recordIds: [approved] }, { bearer: staff.token })).status).toBe(
      200,
    );
    const { page, context, problems } = await open(`/account?record=${approved}`);
    await signInOn(page, who);
    const section = page.getByRole('region', { name: `Record ${approved}` });
    await section.getByText('Thank you.').waitFor();
    expect(await section.getByText('Published').isVisible()).toBe(true);
    await accountLink(page, 2).waitFor();
    await section.getByRole('button', { name: 'Mark as read' }).click();
    await section.getByText('Marked as read.').waitFor();
    await accountLink(page, 1).waitFor();
    await untilFocused(page, /Thank you\.$/);
    expect(await section.getByRole('button', { name: 'Mark as read' }).count()).toBe(0);

    await page.goto(`${stack.url}/account?record=${silent}`);
    const other = page.getByRole('region', { name: `Record ${silent}` });
    await other.getByText('No messages yet.').waitFor();
    await other.getByLabel(`Message to the moderators about record ${silent}`).waitFor();
    await page.getByRole('region', { name: 'Needs your answer' }).getByText(QUESTION).waitFor();
    await page.goto(`${stack.url}/account?record=${asked}`);
    await page.getByRole('region', { name: 'Needs your answer' }).getByText(QUESTION).waitFor();
    expect(await page.getByRole('heading', { name: `Record ${asked}` }).count()).toBe(0);
    await page.getByText('1 unread message, needs your answer').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('tabs share the counts, which are requested at most once a minute', async () => {
    const { who, bearer } = await newOwner();
    const [id = 0] = await submitRecords(api, smallSubmission(), bearer);
    const { page, context, problems } = await open('/account');
    const requests = countRequests(context);
    const aMinuteLater = () =>
      page.evaluate(`{
        const [messages, answered, at] = localStorage.getItem('esd-unread').split(' ');
        localStorage.setItem('esd-unread', [messages, answered, at - 60_001].join(' '));
      }`);
    const comeBack = () => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await signInOn(page, who);
    await page.getByRole('heading', { name: 'Submissions' }).waitFor();
    await untilCounted(page);
    expect(requests()).toBe(1);
    await write(id, QUESTION);
    await page.goto(`${stack.url}/about`);
    await accountLink(page, 0).waitFor();
    await comeBack();
    const second = await context.newPage();
    await second.goto(`${stack.url}/releases`);
    await accountLink(second, 0).waitFor();
    expect(requests()).toBe(1);

    await aMinuteLater();
    await comeBack();
    await accountLink(page, 1).waitFor();
    await accountLink(second, 1).waitFor();
    expect(requests()).toBe(2);
    await page.goto(`${stack.url}/account`);
    // Otherwise, a section that still loads gets a 401.
    await page.waitForLoadState('networkidle');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await second.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.evaluate(`localStorage.getItem('esd-unread')`)).toBeNull();
    expect(problems).toEqual([]);
    await context.close();
  });

  test.each(['light', 'dark'] as const)('a moderator sees which records were answered, in %s', async (colorScheme) => {
    const { bearer } = await newOwner();
    const [id = 0] = await submitRecords(api, smallSubmission(), bearer);
    await write(id, QUESTION);
    await write(id, 'DMF.', bearer);
    const { json } = await api.get('/data/unread', { bearer: staff.token });
    const { answered } = z.object({ moderation: z.object({ answered: z.int() }) }).parse(json).moderation;
    const { page, context, problems } = await open(`/moderate?record=${id}`, { colorScheme });
    await signInOn(page, staff.moderator);
    const link = (count: number) =>
      page.getByRole('link', {
        name: count === 0 ? 'Moderate' : `Moderate (${count} answered) record${count === 1 ? '' : 's'}`,
        exact: true,
      });
    await link(answered).waitFor();
    const thread = page.getByRole('region', { name: 'Messages with the contributor' });
    await thread.getByText('DMF.').waitFor();
    expect(await violations(page)).toEqual([]);
    await thread.getByRole('button', { name: 'Mark as read' }).click();
    await thread.getByText('Marked as read for all moderators.').waitFor();
    await link(answered - 1).waitFor();
    await untilFocused(page, /DMF\.$/);
    await thread.getByLabel('Write to the contributor').fill('Thank you.');
    await thread.getByRole('button', { name: 'Send message' }).click();
    await untilFocused(page, /^You, .*Thank you\.$/);
    expect(problems).toEqual([]);
    await context.close();
  });
});
