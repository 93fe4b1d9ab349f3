import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import { z } from 'zod';
import { inBrowser, type OpenPage, overflow, violations } from '../browser.ts';
import { addAccount } from '../support/accounts.ts';
import { type Credentials, login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { microscopeTiff, uploadImage } from '../support/images.ts';
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

const newName = () => `Sender ${randomBytes(6).toString('hex')}`;
// Records of two senders always differ.
const recordBy = (name: string, voltage: number) => ({
  ...recordAt(voltage),
  researchMetadata: { doi: `10.1234/${name.replace(' ', '-')}` },
});
const send = (name: string, voltages: readonly number[], bearer?: string) =>
  submitRecords(
    api,
    {
      userMetadata: { ...anonymousSubmitter, name },
      experimentData: voltages.map((voltage) => recordBy(name, voltage)),
    },
    bearer,
  );
const queueOf = (name: string) => `/moderate?submitter=${encodeURIComponent(name)}`;
const heading = ({ page }: OpenPage, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const statusOf = async (id: number) => (await api.get(`/moderation/records/${id}`, { bearer: staff.token })).json;

inBrowser(stack.url, '/moderate', (open) => {
  test('keys that come faster than rendering never act on another record, nor as shortcuts after a field was opened', async () => {
    const name = newName();
    const [first = 0, second = 0, third = 0] = await send(name, [41, 42, 43]);
    const opened = await open(queueOf(name));
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${first}`);
    const inPage = (script: string) =>
      page.evaluate(`(async () => {
        const press = (key) =>
          document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        const nextTask = () => new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(0);
        });
        const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        ${script}
      })()`);
    expect(await inPage(`press('r'); await nextTask(); return document.activeElement.id;`)).toBe('reason');
    await page.keyboard.press('Escape');
    await page.getByLabel('Reason', { exact: true }).waitFor({ state: 'detached' });

    // The requested record is still loading, and the previous one is shown.
    await inPage(`press('j'); press('a'); await nextTask(); press('a');`);
    await heading(opened, `New record ${second}`);
    for (const id of [first, second]) expect(await statusOf(id)).toMatchObject({ status: 'PENDING' });

    const focused = await inPage(`
      const arrives = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          if (document.querySelector('h1').textContent !== 'New record ${third}') return;
          observer.disconnect();
          press('r');
          resolve();
        }).observe(document.querySelector('.review'), { subtree: true, childList: true, characterData: true });
      });
      press('j');
      await arrives;
      await painted();
      await painted();
      return document.activeElement.id;`);
    expect(focused).toBe('reason');
    await context.close();
  });

  test('a record that its owner changes during the review cannot be decided before it is reloaded', async () => {
    const bearer = await login(api, owner);
    const name = newName();
    const [id = 0] = await send(name, [23], bearer);
    const opened = await open(queueOf(name));
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${id}`);
    const changeTo = async (voltage: number) => {
      const experimentData = [recordBy(name, voltage)];
      expect((await api.put(`/data/update/${id}`, { experimentData }, { bearer })).status).toBe(200);
    };
    await changeTo(24);
    await page.keyboard.press('a');
    await page.getByText('This record changed while you were reading it.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Show the new revision' }).click();
    await page.getByRole('cell', { name: '24\u202fkV' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(`Record ${id} was approved.`).waitFor();
    await untilPublic(api, [id]);

    // A likely duplicate is shown next to it.
    const [again = 0] = await send(name, [24]);
    await page.goto(`${stack.url}${queueOf(name)}&record=${again}`);
    await heading(opened, `New record ${again}`);
    expect(await page.getByRole('list', { name: 'Likely duplicates' }).getByRole('link').getAttribute('href')).toBe(
      `/record/${id}`,
    );
    await page.getByRole('button', { name: `Compare with ${id}` }).click();
    await page.getByText('Every field is the same.').waitFor();

    // A correction is shown next to the public revision.
    await changeTo(25);
    await page.goto(`${stack.url}${queueOf(name)}&record=${id}`);
    await heading(opened, `Correction to record ${id}`);
    const row = page.getByRole('row', { name: /^Voltage/ });
    expect(await row.locator('del').textContent()).toBe('24\u202fkV');
    expect(await row.locator('ins').textContent()).toBe('25\u202fkV');
    await page.getByRole('button', { name: /^All \(\d+\)$/ }).click();
    await page.getByRole('row', { name: /^Polymers PVA/ }).waitFor();
    await context.close();
  });

  test('if the session ends during a decision, signing in again completes it', async () => {
    const name = newName();
    const [id = 0] = await send(name, [26]);
    const opened = await open(queueOf(name));
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${id}`);
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel('Reason', { exact: true }).fill('Which solvent?');
    await api.post('/auth/logout-all', {}, { bearer: await login(api, staff.moderator) });
    await page.getByRole('button', { name: `Reject record ${id}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(staff.moderator.password);
    expect(await statusOf(id)).toMatchObject({ status: 'PENDING' });
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`Record ${id} was rejected.`).waitFor();
    const { history } = z.looseObject({ history: z.array(z.looseObject({})) }).parse(await statusOf(id));
    expect(history.at(-1)).toMatchObject({ action: 'reject', reason: 'Which solvent?' });
    await context.close();
  });

  test('while the service is down, nothing is decided and the reason stays; the same button works when it is back', async () => {
    const name = newName();
    const [id = 0] = await send(name, [27]);
    const opened = await open(queueOf(name));
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${id}`);
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel('Reason', { exact: true }).fill('Which needle?');
    await stack.kill('submission-svc');
    await page.getByRole('button', { name: `Reject record ${id}` }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Reason', { exact: true }).inputValue()).toBe('Which needle?');
    await stack.start('submission-svc');
    await eventually(
      async () => (await api.get(`/moderation/records/${id}`, { bearer: staff.token })).status,
      (status) => status === 200,
    );
    expect(await statusOf(id)).toMatchObject({ status: 'PENDING' });
    await page.getByRole('button', { name: `Reject record ${id}` }).click();
    await page.getByText(`Record ${id} was rejected.`).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await statusOf(id)).toMatchObject({ status: 'REJECTED' });
    await context.close();
  });

  test('all records from one network are rejected together', async () => {
    const name = newName();
    const ids = await send(name, [33, 34, 35]);
    const [third = 0] = ids;
    const opened = await open(`${queueOf(name)}&record=${third}`);
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${third}`);
    await page.getByRole('button', { name: 'Show all from this network' }).click();
    // The submitter is no longer a filter, so the list shows exactly the records to reject.
    await page.getByRole('button', { name: 'Reject all from this network…' }).click();
    expect(new URL(page.url()).searchParams.get('submitter')).toBeNull();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason', { exact: true }).fill('This looks like a test.');
    await dialog.getByRole('button', { name: /^Reject \d+ records$/ }).click();
    await page.getByText(/^\d+ records were rejected\. Undo$/).waitFor();
    for (const id of ids) expect(await statusOf(id)).toMatchObject({ status: 'REJECTED' });
    await context.close();
  });

  test('a record leads to the table of its submission, and the URL contains it', async () => {
    const name = newName();
    const [first = 0, second = 0] = await send(name, [36, 37]);
    const opened = await open(`${queueOf(name)}&record=${first}`);
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${first}`);
    await page.getByRole('link', { name: /^Submission \d+$/ }).click();
    await page.getByRole('link', { name: String(second), exact: true }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: String(second), exact: true }).click();
    await heading(opened, `New record ${second}`);
    await page.getByRole('link', { name: 'Back to all 2 records' }).waitFor();
    await context.close();
  });

  test('a record is withdrawn, restored, and reopened, and moderator and owner exchange messages', async () => {
    const bearer = await login(api, owner);
    const name = newName();
    const [shown = 0, rejected = 0] = await send(name, [41, 42], bearer);
    await api.post(`/moderation/records/${shown}/approve`, {}, { bearer: staff.token });
    await api.post(`/moderation/records/${rejected}/reject`, { reason: 'No source.' }, { bearer: staff.token });
    await untilPublic(api, [shown]);
    const opened = await open(`${queueOf(name)}&status=APPROVED`);
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `Record ${shown}, published`);
    await page.getByRole('button', { name: 'Withdraw…' }).click();
    await page.getByLabel('Reason', { exact: true }).fill('The paper was retracted.');
    await page.getByRole('button', { name: `Withdraw record ${shown}` }).click();
    await page.getByText(`Record ${shown} was withdrawn.`).waitFor();

    await page.getByLabel('Which records').selectOption('My decisions');
    await page.getByRole('link', { name: `Record ${shown} withdrawn` }).click();
    await heading(opened, `Record ${shown}, withdrawn on`);
    expect(await page.getByText('The paper was retracted.').first().isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText(`Record ${shown} was returned to the review queue.`).waitFor();
    expect(await statusOf(shown)).toMatchObject({ status: 'PENDING' });

    await page.goto(`${stack.url}${queueOf(name)}&status=REJECTED`);
    await heading(opened, `Record ${rejected}, rejected`);
    await page.getByLabel('Write to the contributor').fill('Which table is it from?');
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Which table is it from?' }).waitFor();
    const answered = await api.post(`/data/records/${rejected}/messages`, { text: 'Table 2.' }, { bearer });
    expect(answered.status).toBe(201);
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByText(`Record ${rejected} was returned to the review queue.`).waitFor();
    await page.goto(`${stack.url}${queueOf(name)}&record=${rejected}`);
    await page.getByRole('listitem').filter({ hasText: 'Table 2.' }).waitFor();
    await context.close();
  });

  test('a value outside the range of its polymer is a possible problem, as for the contributor', async () => {
    const name = newName();
    const [first = 0, second = 0] = await send(name, [11, 12]);
    for (const id of [first, second]) {
      expect((await api.post(`/moderation/records/${id}/approve`, {}, { bearer: staff.token })).status).toBe(200);
    }
    await untilPublic(api, [first, second]);
    // The stack can have records of other test files.
    const { json } = await api.get('/public/dataset/statistics?filter={"polymer":"PVA"}');
    const { max } = z
      .looseObject({ statistics: z.looseObject({ voltage: z.looseObject({ max: z.number() }) }) })
      .parse(json).statistics.voltage;
    const [outside = 0] = await send(name, [max + 1]);
    const opened = await open(`/moderate?record=${outside}`);
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${outside}`);
    const problems = page.getByRole('region', { name: 'Checks' });
    await problems.getByText(/Higher than all \d+ experiments with PVA \(\d+–\d+ kV\)\./).waitFor();
    await context.close();
  });

  test('only an image with stretched contrast says so, and it is shown in its medium size', async () => {
    const name = newName();
    const images = [await uploadImage(api), await uploadImage(api, {}, microscopeTiff())];
    const fiberImages = images.map((imageId) => ({ imageId }));
    const [id = 0] = await submitRecords(api, {
      userMetadata: { ...anonymousSubmitter, name },
      experimentData: [{ ...recordBy(name, 14), fiberImages }],
    });
    const opened = await open(`/moderate?record=${id}`);
    const { page, context } = opened;
    await signInOn(page, staff.moderator);
    await heading(opened, `New record ${id}`);
    const imageItems = page.getByRole('region', { name: 'Images' }).getByRole('listitem');
    const [plain, stretched] = [imageItems.nth(0), imageItems.nth(1)];
    await stretched.getByText('contrast stretched').waitFor();
    expect(await plain.getByText('contrast stretched').count()).toBe(0);
    const sources = await Promise.all([plain, stretched].map((item) => item.getByRole('img').getAttribute('src')));
    expect(sources).toEqual([expect.stringMatching(/\/content$/), expect.stringMatching(/\/content\?size=medium$/)]);
    expect(await violations(page)).toEqual([]);
    await context.close();
  });

  test('works by keyboard alone, and the shortcuts can be turned off', async () => {
    const name = newName();
    const [first = 0, second = 0] = await send(name, [51, 52]);
    const opened = await open(queueOf(name));
    const { page, context } = opened;
    await page.getByLabel('Email').focus();
    await page.keyboard.type(staff.moderator.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(staff.moderator.password);
    await page.keyboard.press('Enter');
    await heading(opened, `New record ${first}`);
    await page.keyboard.press('j');
    await heading(opened, `New record ${second}`);
    await page.keyboard.press('k');
    await heading(opened, `New record ${first}`);
    await page.keyboard.press('r');
    await page.keyboard.type('No source is named.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(`Record ${first} was rejected.`).waitFor();
    await heading(opened, `New record ${second}`);
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByLabel('Use these shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await heading(opened, `New record ${second}`);
    await page.keyboard.press('?');
    await page.keyboard.press('a');
    await page.getByRole('button', { name: /^Shortcuts/ }).click();
    await dialog.waitFor();
    expect(await statusOf(second)).toMatchObject({ status: 'PENDING' });
    await context.close();
  });

  test('is accessible in light and dark mode, wide and narrow, with the queue, a record, and a reason', async () => {
    const name = newName();
    const [id = 0] = await send(name, [61, 62]);
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      const { page, context, problems } = await open(queueOf(name), {
        colorScheme,
        viewport: { width, height: 900 },
      });
      expect([colorScheme, width, await violations(page)]).toEqual([colorScheme, width, []]);
      await signInOn(page, staff.moderator);
      if (width === 320) await page.getByRole('link', { name: `record ${id}` }).click();
      await page.getByRole('region', { name: 'Checks' }).waitFor();
      await page.getByRole('button', { name: 'Reject…' }).click();
      expect([colorScheme, width, await violations(page)]).toEqual([colorScheme, width, []]);
      expect([width, await overflow(page), problems]).toEqual([width, 0, []]);
      if (width === 320) {
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('link', { name: 'Back to the queue' }).click();
        expect([colorScheme, 'queue', await violations(page)]).toEqual([colorScheme, 'queue', []]);
        // The filter by submitter is active, so its fields are open.
        await page.getByRole('textbox', { name: 'Submitter' }).waitFor();
      }
      await context.close();
    }
  });

  test.each(['/moderate', '/manage'])('%s shows other users why they cannot use it', async (path) => {
    const { page, context } = await open(path);
    await signInOn(page, owner);
    await page.getByText("You don't have permission to do this.").waitFor();
    expect(await violations(page)).toEqual([]);
    await context.close();
    const { page: plain, context: other } = await open(path, { javaScriptEnabled: false });
    expect(await plain.getByText('This page requires JavaScript.').isVisible()).toBe(true);
    await other.close();
  });
});

const strict = await leaseStack('twoFactor');
afterAll(() => strict.stop());

inBrowser(strict.url, 'if staff must use two-factor sign-in', (open) => {
  test.each(['/moderate', '/manage'])('%s says so and links to the account', async (path) => {
    const { admin } = await newStaff(strict, apiAt(strict.url));
    const { page, context } = await open(path);
    await signInOn(page, admin);
    await page.getByText('This page requires two-factor sign-in.').waitFor();
    expect(await page.getByRole('link', { name: 'Turn it on in your account' }).getAttribute('href')).toBe('/account');
    await context.close();
  });
});
