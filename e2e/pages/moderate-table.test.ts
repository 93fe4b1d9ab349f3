import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { anonymousSubmitter, recordAt } from '@esd/testing/records';
import { z } from 'zod';
import { inBrowser, type OpenPage, overflow, untilTrue, violations } from '../browser.ts';
import { addAccount } from '../support/accounts.ts';
import { type Credentials, login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { newAddress } from '../support/new-address.ts';
import { newStaff, signInOn } from '../support/staff.ts';

const stack = await leaseStack('moderated');
const api = apiAt(stack.url);
let staff: Awaited<ReturnType<typeof newStaff>>;
let owner: Credentials;
beforeAll(async () => {
  staff = await newStaff(stack, api);
  ({ who: owner } = await addAccount(stack, staff.admin, newAddress('owner')));
});
afterAll(() => stack.stop());

const recipe = (at: number, change: object = {}) => ({
  ...recordAt(10 + at),
  fiberProperty: { fiberDiameter: 100 + at, fiberDiameterUnit: 'nm' },
  researchMetadata: { doi: `10.1234/${randomBytes(6).toString('hex')}` },
  ...change,
});
const send = (records: readonly object[], bearer?: string) =>
  submitRecords(api, { userMetadata: anonymousSubmitter, experimentData: records }, bearer);
const sendMany = (count: number) => send(Array.from({ length: count }, (_, at) => recipe(at)));
/** The second and the third record have a warning of high severity. */
const sendWarned = () =>
  send(Array.from({ length: 40 }, (_, at) => recipe(at, at === 1 || at === 2 ? { solutionProperty: { pH: 15 } } : {})));
const submissionOf = async (id: number) => {
  const { json } = await api.get(`/moderation/records/${id}`, { bearer: staff.token });
  return z.looseObject({ submissionId: z.int() }).parse(json).submissionId;
};
const statusesOf = async (id: number) => {
  const { json } = await api.get(`/moderation/submissions/${await submissionOf(id)}`, { bearer: staff.token });
  const { rows } = z.looseObject({ rows: z.array(z.looseObject({ status: z.string() })) }).parse(json);
  return rows.map(({ status }) => status);
};
const countOf = async (id: number, status: string) => (await statusesOf(id)).filter((one) => one === status).length;

inBrowser(stack.url, 'the table of a submission on /moderate', (open) => {
  const openTable = async (id: number, options?: Parameters<typeof open>[1]): Promise<OpenPage> => {
    const opened = await open(`/moderate?submissionId=${await submissionOf(id)}`, options);
    await signInOn(opened.page, staff.moderator);
    await tableShown(opened, id);
    return opened;
  };
  const tableShown = async ({ page }: OpenPage, id: number) => {
    await page.getByRole('heading', { level: 1, name: `Submission ${await submissionOf(id)}` }).waitFor();
    // The page listens to keys after the frame that shows the heading.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  };
  const rowOf = ({ page }: OpenPage, id: number) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name: String(id), exact: true }) });

  test('forty records are decided with at most 5 key presses from the queue', async () => {
    const ids = await sendWarned();
    const [first = 0] = ids;
    // The queue has the submissions of other test files, so the test opens this one by its address, goes back, and begins.
    const opened = await openTable(first);
    const { page, context } = opened;
    await page.keyboard.press('u');
    await page.getByText('Choose a submission.').waitFor();
    // The queue can still be loading.
    await page.getByRole('navigation', { name: 'Queue' }).locator('a:focus').waitFor();
    let presses = 0;
    const press = async (key: string) => {
      presses += 1;
      await page.keyboard.press(key);
    };
    await press('Enter');
    await tableShown(opened, first);
    await rowOf(opened, first).waitFor();
    await press('Shift+A');
    const dialog = page.getByRole('dialog', { name: 'Approve 40 records?' });
    await dialog.getByText('The pH 15 is outside 0 to 14; check it.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    expect(await countOf(first, 'PENDING')).toBe(40);
    await press('Shift+Tab');
    await press('Enter');
    await page.getByText('40 records were approved.').waitFor();
    expect(presses).toBeLessThanOrEqual(5);
    expect(await countOf(first, 'APPROVED')).toBe(40);
    await context.close();
  });

  test.each(['Shift+A', 'a'])('%s and every button decide on the selected rows', async (key) => {
    const [first = 0, second = 0] = await sendMany(3);
    const { page, context } = await openTable(first);
    await page.getByRole('button', { name: 'Reject all 3…' }).waitFor();
    await page.getByLabel(`Select record ${second}`).check();
    await page.getByRole('button', { name: 'Approve 1', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reject 1…' }).waitFor();
    await page.keyboard.press(key);
    await page.getByText('1 record was approved.').waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(await statusesOf(first)).toEqual(['PENDING', 'APPROVED', 'PENDING']);
    await page.getByRole('button', { name: 'Approve all 2' }).waitFor();
    await context.close();
  });

  test('a decision can be undone in the message about it and in the list of decisions', async () => {
    const [first = 0, second = 0] = await sendMany(3);
    const { page, context, problems } = await openTable(first);
    await page.getByRole('button', { name: 'Approve all 3' }).click();
    await page.getByText('3 records were approved.').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('3 records returned to the review queue.').waitFor();
    expect(await statusesOf(first)).toEqual(['PENDING', 'PENDING', 'PENDING']);

    const reason = { recordIds: [first, second], reason: 'Differs from the paper.' };
    expect((await api.post('/moderation/reject', reason, { bearer: await login(api, staff.moderator) })).status).toBe(
      200,
    );
    await page.getByLabel('Which records').selectOption('My decisions');
    const entry = page.getByRole('listitem').filter({ hasText: '2 records rejected' }).first();
    await entry.getByText('Records', { exact: true }).click();
    await entry.getByRole('link', { name: `Record ${first}` }).waitFor();
    await entry.getByRole('button', { name: 'Undo the decision on 2 records' }).click();
    await page.getByText('2 records returned to the review queue.').waitFor();
    await entry.getByText('undone').waitFor();
    expect([await countOf(first, 'PENDING'), problems]).toEqual([3, []]);
    await context.close();
  });

  test('shows common values once, warnings in their cells, and the current row in view', async () => {
    const ids = await sendWarned();
    const [first = 0, second = 0] = ids;
    const opened = await openTable(first);
    const { page, context } = opened;
    await page.getByRole('heading', { name: 'Same in all 40 records' }).waitFor();
    expect(await page.locator('dl.common').innerText()).toContain('PVA');
    expect(await page.getByRole('columnheader', { name: 'Voltage kV' }).isVisible()).toBe(true);
    // pH has a warning in the second row.
    await rowOf(opened, second).getByText('The pH 15 is outside 0 to 14').waitFor({ state: 'attached' });
    for (let at = 0; at < 30; at += 1) await page.keyboard.press('j');
    await rowOf(opened, ids[30] ?? 0)
      .and(page.locator('.current'))
      .waitFor();
    const isInView = `(() => {
      const { top, bottom } = document.querySelector('tr.current').getBoundingClientRect();
      return top >= 0 && bottom <= document.querySelector('.decide').getBoundingClientRect().top;
    })()`;
    await untilTrue(page, isInView);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `New record ${ids[30]}` }).waitFor();
    await page.getByRole('link', { name: 'Back to all 40 records' }).click();
    await tableShown(opened, first);
    await rowOf(opened, ids[30] ?? 0)
      .and(page.locator('.current'))
      .waitFor();
    await context.close();
  });

  test('of two moderators, the second one learns which row was rejected, and decides on the others', async () => {
    const [first = 0, second = 0, , fourth = 0] = await sendMany(4);
    const opened = await openTable(first);
    const { page, context } = opened;
    await page.getByLabel(`Select record ${second}`).check();
    await page.getByLabel(`Select record ${fourth}`).check();
    const decision = { recordIds: [second], reason: 'No.' };
    expect((await api.post('/moderation/reject', decision, { bearer: staff.token })).status).toBe(200);
    await page.getByRole('button', { name: 'Approve 2' }).click();
    await page.getByText('No record was approved: 1 of 2 changed while you were reading.').waitFor();
    await rowOf(opened, second)
      .getByText(/rejected by another moderator at \d\d:\d\d/)
      .waitFor();
    expect(await page.getByLabel(`Select record ${fourth}`).isChecked()).toBe(true);
    expect((await statusesOf(first))[0]).toBe('PENDING');
    await page.getByRole('button', { name: 'Approve the remaining 1' }).click();
    await page.getByText('1 record was approved.').waitFor();
    expect(await statusesOf(first)).toEqual(['PENDING', 'REJECTED', 'PENDING', 'APPROVED']);
    await context.close();
  });

  test('without a response in 10 seconds, the page reads the outcome and does not send again', async () => {
    const [first = 0] = await sendMany(3);
    const opened = await openTable(first);
    const { page, context } = opened;
    let sent = 0;
    // The decision arrives, but its response does not.
    await page.route('**/moderation/approve', async (route) => {
      sent += 1;
      await route.fetch();
    });
    await page.getByRole('button', { name: 'Approve all 3' }).click();
    await page.getByText('3 records were approved.').waitFor();
    expect([sent, await statusesOf(first)]).toEqual([1, ['APPROVED', 'APPROVED', 'APPROVED']]);
    await context.close();
  });

  test('kinds and counts come from the server, and records can be listed instead of submissions', async () => {
    const [first = 0] = await sendMany(2);
    const opened = await openTable(first);
    const { page, context } = opened;
    await page.getByLabel('Kind').selectOption('warnings');
    await page.waitForURL(/kind=warnings/);
    const { json } = await api.get('/moderation/submissions?kind=warnings', { bearer: staff.token });
    const { total } = z.looseObject({ total: z.int() }).parse(json);
    await page.getByRole('heading', { name: `Waiting: ${total}` }).waitFor();
    await page.getByRole('button', { name: 'Records', exact: true }).click();
    await page.waitForURL(/list=records/);
    await page
      .getByRole('navigation', { name: 'Queue' })
      .getByRole('link', { name: /new record|correction/ })
      .first()
      .waitFor();
    await context.close();
  });

  test('a table of 1,000 records opens', async () => {
    const ids = await send(
      Array.from({ length: 1_000 }, (_, at) => recipe(at % 30, { solutionProperty: { pH: (at % 14) + 0.5 } })),
      await login(api, owner),
    );
    const { page, context } = await openTable(ids[0] ?? 0);
    await page.locator('.records tbody tr').nth(999).waitFor();
    // Other test files read the whole queue of this stack.
    const decision = { recordIds: ids, reason: 'Enough.' };
    expect((await api.post('/moderation/reject', decision, { bearer: staff.token })).status).toBe(200);
    await context.close();
  });

  test('is accessible in light and dark mode, wide and narrow', async () => {
    const [first = 0, second = 0] = await sendWarned();
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      const { page, context, problems } = await openTable(first, { colorScheme, viewport: { width, height: 900 } });
      await page.getByLabel(`Select record ${second}`).check();
      expect([colorScheme, width, await violations(page)]).toEqual([colorScheme, width, []]);
      await page.getByRole('button', { name: 'Reject 1…' }).click();
      expect([colorScheme, width, 'reason', await violations(page)]).toEqual([colorScheme, width, 'reason', []]);
      expect([width, await overflow(page), problems]).toEqual([width, 0, []]);
      await page.getByRole('button', { name: 'Cancel' }).click();
      if (width === 320) {
        await page.getByRole('link', { name: 'Back to the queue' }).click();
        expect([colorScheme, 'queue', await violations(page)]).toEqual([colorScheme, 'queue', []]);
        expect([width, await overflow(page)]).toEqual([width, 0]);
      }
      await context.close();
    }
  });
});
