import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { inBrowser, noticed, overflow, violations } from '../browser.ts';
import { registerAccount } from '../support/accounts.ts';
import { apiAt } from '../support/api.ts';
import { eventually } from '@esd/testing/eventually';
import { microscopeTiff } from '../support/images.ts';

const { url, dataDir } = await sharedStack();
const api = apiAt(url);
const who = await registerAccount(api, dataDir, 'contributor');

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

async function fillInSender(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Example');
  await page.getByLabel('Your email address').fill('ada@example.org');
  await page.getByLabel('I have the right to share these data').check();
}

/** Signs in with the dialog over the page. */
async function signIn(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(who.email);
  await dialog.getByLabel('Password').fill(who.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
}

inBrowser(url, '/contribute', (open) => {
  test('with several experiments, a copy has no results, errors lead to their tab, and an image is sent', async () => {
    const { page, context, problems } = await open('/contribute');
    await field(page, 'Polymer').fill('PVA');
    await field(page, 'Voltage').fill('15');
    await field(page, 'Fiber diameter').fill('200');
    await page.getByText('Images: none').click();
    const file = { name: 'sem.tif', mimeType: 'image/tiff', buffer: microscopeTiff() };
    await page.getByLabel('Add images').setInputFiles(file);
    await page.getByText('2.5 nm per pixel, from the FEI header.').waitFor();
    expect(await page.getByText('contrast stretched').isVisible()).toBe(true);
    expect(await field(page, 'Pixel size of sem.tif').inputValue()).toBe('2.5');
    await field(page, 'Pixel size of sem.tif').fill('12.5');
    expect(await page.getByRole('img', { name: 'Preview of sem.tif' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Copy to a new experiment' }).click();
    expect(await field(page, 'Voltage').inputValue()).toBe('15');
    expect(await field(page, 'Fiber diameter').inputValue()).toBe('');
    expect(await page.getByText('Images: none').count()).toBe(1);
    await page.getByRole('link', { name: '1 · PVA' }).click();
    await field(page, 'Voltage').fill('15 bar');
    await page.getByRole('link', { name: '2 · PVA' }).click();
    await field(page, 'Voltage').fill('16');
    await fillInSender(page);
    await page.getByRole('button', { name: 'Send 2 experiments' }).click();
    await page.getByRole('link', { name: 'Experiment 1, Voltage: Enter a number such as 12.5' }).click();
    await page.locator('[id="0-processParameter.voltage"]:focus').fill('15');
    await page.getByRole('button', { name: 'Check only' }).click();
    await page.getByText('2 experiments passed the check.').waitFor();
    await page.getByRole('button', { name: 'Send 2 experiments' }).click();
    await page.getByText(/Sent\. Submission \d+, 2 records\./).waitFor();
    await page.getByText(/Write down submission \d+: without an account you need it to ask about it\./).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test.each([
    ['light', 1280],
    ['dark', 375],
    ['dark', 320],
  ] as const)('in %s at %d px, required fields, shares, and missing values are shown', async (colorScheme, width) => {
    const { page, context, problems } = await open('/contribute', { colorScheme, viewport: { width, height: 900 } });
    for (const label of ['Polymer', 'Your name', 'Your email address']) {
      expect(await field(page, label).getAttribute('aria-required')).toBe('true');
    }
    expect(await page.getByText('required', { exact: true }).count()).toBe(4);
    expect(await page.locator('form:not([novalidate])').count()).toBe(0);
    const missing = page.locator('p', { hasText: /^What is missing:/ });
    expect(await missing.textContent()).toContain('paper, solvent, concentration, flow rate, result.');
    // A single component has no share.
    expect(await page.getByLabel(/ ratio/).count()).toBe(0);
    await field(page, 'Solvent').fill('DMF');
    await page.keyboard.press('Tab');
    expect(await missing.textContent()).toContain('missing: paper, concentration, flow rate, result.');
    await page.getByRole('button', { name: 'Add a solvent' }).press('Enter');
    await field(page, 'Solvent 2').fill('acetone');
    await page.keyboard.press('Tab');
    for (const [at, share] of ['3', '1'].entries()) {
      const box = field(page, `Volume ratio ${at + 1}`);
      await box.fill(share);
      const name = await field(page, `Solvent ${at + 1}`).boundingBox();
      const [left, right] = [name, await box.boundingBox()];
      // Next to the name, except on the narrowest windows.
      expect(right?.y === left?.y && (right?.x ?? 0) > (left?.x ?? 0)).toBe(width > 320);
    }
    await field(page, 'Flow rate').fill('x');
    await page.getByRole('button', { name: 'Send 1 experiment' }).click();
    const summary = page.getByRole('group', { name: '7 errors to fix before you can send' });
    await summary.waitFor();
    expect(await summary.getByRole('link').allTextContents()).toEqual([
      'Polymer: Name the polymer',
      'Volume ratio 1: Choose a unit',
      'Volume ratio 2: Choose a unit',
      'Flow rate: Enter a number such as 12.5',
      'Your name: Enter your name',
      'Your email address: Enter your email address so that a moderator can contact you',
      'Terms: Accept the terms before you send',
    ]);
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    // Each control is within its field.
    const rightOf = '(element) => element.getBoundingClientRect().right';
    const wide = `[...document.querySelectorAll('.field :is(input, select)')].filter((one) => (${rightOf})(one) > (${rightOf})(one.closest('.field')) + 0.5).length`;
    expect(await page.evaluate(wide)).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a record is entered and sent by keyboard alone, with retries after 503 and 429', async () => {
    const { page, context } = await open('/contribute');
    let answers = 0;
    await page.route('**/data/submit', async (route) => {
      answers += 1;
      // The Idempotency-Key makes each attempt the same submission.
      if (answers === 1) await route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, body: '{}' });
      else if (answers === 2) await route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, body: '{}' });
      else await route.continue();
    });
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/data/submit')) keys.push(request.headers()['idempotency-key']);
    });
    const to = async (id: string): Promise<void> => {
      for (let at = 0; at < 90; at++) {
        if ((await page.evaluate('document.activeElement.id || document.activeElement.textContent')) === id) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`The Tab key does not reach ${id}.`);
    };
    await to('0-polymerProperty.polymerComponents[0].polymerName');
    await page.keyboard.type('polyvinyl alcohol');
    await page.getByRole('listbox').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await to('0-processParameter.voltage');
    await page.keyboard.type('15');
    await to('userMetadata.name');
    await page.keyboard.type('Ada');
    await to('userMetadata.email');
    await page.keyboard.type('ada@example.org');
    await to('userMetadata.consentTerms');
    await page.keyboard.press('Space');
    const notices = [noticed(page, 'The service is busy.'), noticed(page, 'Too many requests from this network.')];
    await page.keyboard.press('Enter');
    await Promise.all(notices);
    await page.getByText(/Sent\. Submission \d+, 1 record\./).waitFor();
    expect(keys.length).toBe(3);
    expect([...new Set(keys)]).toEqual([expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{8}$/)]);
    await context.close();
  });

  test('a form of a signed-in user becomes no anonymous one when a refresh fails or another tab signs out', async () => {
    const { page, context } = await open('/account');
    await page.getByLabel('Email').fill(who.email);
    await page.getByLabel('Password').fill(who.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    const failures: (() => object)[] = [];
    await page.route('**/session/refresh', async (route) => {
      const failure = failures.shift();
      await (failure === undefined ? route.continue() : route.fulfill(failure()));
    });
    const refused = () => ({
      status: 400,
      json: { code: 'INVALID_REQUEST', message: 'The request took too long to arrive.' },
    });
    failures.push(refused);
    await page.goto(`${url}/contribute`);
    await eventually(
      () => Promise.resolve(failures.length),
      (count) => count === 0,
    );
    await page.getByLabel('Your name').waitFor({ state: 'detached' });
    await field(page, 'Polymer').fill('PVA');
    await page.getByText('Draft saved').waitFor();
    failures.push(refused, refused);
    await page.reload();
    await page.getByRole('alert').getByText('took too long to arrive').waitFor();
    expect(await page.getByLabel('Your name').count()).toBe(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/^Your draft from .* is restored\.$/).waitFor();
    expect([await field(page, 'Polymer').inputValue(), await page.getByLabel('Your name').count()]).toEqual(['PVA', 0]);
    const other = await context.newPage();
    await other.goto(`${url}/account`);
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('alert').getByText('You signed out in another tab.').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await signIn(page);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect([await field(page, 'Polymer').inputValue(), await page.getByLabel('Your name').count()]).toEqual(['PVA', 0]);
    await context.close();
  });

  test('a workbook requires signing in, a session that ends keeps the sheet, and users can edit their own records', async () => {
    const workbook = await api.get('/public/dataset/export?format=xlsx&filter={"polymer":"=PS"}');
    expect(workbook.status).toBe(200);
    const buffer = Buffer.from(
      await (await fetch(`${url}/public/dataset/export?format=xlsx&filter={"polymer":"=PS"}`)).arrayBuffer(),
    );
    const { page, context } = await open('/contribute');
    const bearers = new Set<string>();
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined) bearers.add(authorization.replace('Bearer ', ''));
    });
    await field(page, 'Polymer').fill('PVA');
    await page.getByRole('button', { name: 'Sheet' }).click();
    const file = { name: 'run.xlsx', mimeType: 'application/octet-stream', buffer };
    await page.getByLabel('Upload a sheet').setInputFiles(file);
    await page.getByText('Reading run.xlsx requires an account.').waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await signIn(page);
    await page.getByRole('heading', { name: 'Sheet: run.xlsx' }).waitFor();
    const rows = await page.getByRole('rowheader').count();
    expect(rows).toBeGreaterThan(1);
    expect(await page.getByLabel('Your name').count()).toBe(0);

    // As if another tab or a moderator had ended the session.
    const bearer = [...bearers].at(-1) ?? '';
    const sessions = await api.get('/auth/sessions', { bearer });
    const own = z.array(z.looseObject({ id: z.string(), current: z.boolean() })).parse(sessions.json);
    const id = own.find(({ current }) => current)?.id ?? '';
    expect((await api.delete(`/auth/sessions/${id}`, { bearer })).status).toBe(200);
    await page.getByRole('button', { name: `Send ${rows} rows` }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(rows);
    await signIn(page);
    await page.getByText(new RegExp(`Sent\\. Submission \\d+, ${rows} records\\.`)).waitFor();

    const sent = await page.getByRole('table').getByRole('rowheader').first().textContent();
    await page.goto(`${url}/contribute?record=${sent}`);
    await page.getByRole('heading', { name: `Edit record ${sent}` }).waitFor();
    expect(await field(page, 'Polymer').inputValue()).toBe('PS');
    await field(page, 'Temperature').fill('31');
    await page.getByRole('button', { name: 'Send the change' }).click();
    await page.getByText('Sent.', { exact: true }).waitFor();
    const { token } = z.object({ token: z.string() }).parse((await api.post('/auth/login', who)).json);
    const stored = await api.get(`/data/experiment/${sent}`, { bearer: token });
    expect(stored.json).toMatchObject({ experimentData: [{ ambientParameter: { temperature: 31 } }] });
    await context.close();
  });
});
