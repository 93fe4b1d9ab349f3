import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { request } from '@esd/testing/http';
import { anonymousSubmitter, recordAt, smallSubmission } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import { inBrowser, overflow, violations } from '../browser.ts';
import { registerAccount } from '../support/accounts.ts';
import { login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { mailSaying, mailsTo } from '../support/mail.ts';
import { oneTimeCode } from '../support/one-time-code.ts';

const { url, dataDir } = await sharedStack();
const api = apiAt(url);
const newAccount = (name: string) => registerAccount(api, dataDir, name);

async function signIn(page: Page, who: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Returns the cookie header that the browser would send. */
async function cookieOf(context: BrowserContext): Promise<string> {
  return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
}

const isSignedIn = (page: Page) => page.getByRole('button', { name: 'New token' }).waitFor();

inBrowser(url, '/account', (open) => {
  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('every state is accessible in %s at %i px', async (colorScheme, width) => {
    const who = await newAccount('states');
    const bearer = await login(api, who);
    await api.post('/data/submit', smallSubmission(), { bearer });
    await api.post('/auth/tokens', { name: 'spinning rig', expiresInDays: 30 }, { bearer });
    await api.post('/versions', { name: 'Chapter 3', filterConfig: { polymer: 'PVDF' } }, { bearer });
    const { page, problems, context } = await open('/account', { colorScheme, viewport: { width, height: 900 } });
    const check = async (state: string) => {
      expect([state, colorScheme, width, await violations(page), await overflow(page)]).toEqual([
        state,
        colorScheme,
        width,
        [],
        0,
      ]);
    };
    for (const name of ['Register', 'Forgot password', 'Sign in']) {
      await page.getByRole('navigation', { name: 'Sign in or register' }).getByRole('link', { name }).click();
      await check(name);
    }
    await signIn(page, who);
    await page.getByRole('button', { name: /^Submission / }).click();
    await page.getByRole('button', { name: /^Messages of record / }).click();
    await page.getByText('No messages yet.').waitFor();
    await page.getByRole('button', { name: /^History of record / }).click();
    await page.getByText('submitted by you').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('rowheader', { name: 'Chapter 3' }).waitFor();
    await page.getByText('this one').waitFor();
    await page.getByRole('button', { name: 'Set up two-factor sign-in' }).click();
    await check('signed in');
    await page.getByRole('button', { name: 'Revoke token “spinning rig”' }).click();
    await check('confirmation');
    // The button that cancels has the focus, and Escape does the same.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep it');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete account…' }).click();
    await check('deletion');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a user sets up two-factor sign-in and signs in with a recovery code', async () => {
    const who = await newAccount('factor');
    const { page, context, problems } = await open('/account');
    await signIn(page, who);
    await page.getByRole('button', { name: 'Set up two-factor sign-in' }).click();
    await page.getByLabel('Your password').fill(who.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code with the key' }).waitFor();
    expect(await violations(page)).toEqual([]);
    const secret = (await page.getByText(/^Key: /).innerText()).slice('Key: '.length).replaceAll(' ', '');
    await page.getByLabel('Code', { exact: true }).fill(oneTimeCode(secret));
    await page.getByRole('button', { name: 'Turn on' }).click();
    const codes = (await page.locator('#recovery-codes').innerText()).split('\n');
    expect(codes).toHaveLength(10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('On. 10 recovery codes left.').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await signIn(page, who);
    await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('On. 9 recovery codes left.').waitFor();
    expect(problems.filter((text) => !text.includes('status of 401'))).toEqual([]);
    await context.close();
  });

  test('the search for a sample shows its submissions, and in them its records', async () => {
    const who = await newAccount('samples');
    const bearer = await login(api, who);
    const sent = async (...samples: string[]) => {
      const experimentData = samples.map((sampleId, at) => ({ ...recordAt(12 + at), researchMetadata: { sampleId } }));
      await submitRecords(api, { userMetadata: anonymousSubmitter, experimentData }, bearer);
    };
    await sent('PVA-07a', 'PVA-08');
    await sent('PCL-01');
    const { page, context, problems } = await open('/account');
    await signIn(page, who);
    const submissions = page.getByRole('button', { name: /^Submission / });
    await submissions.nth(1).waitFor();
    const search = page.getByRole('searchbox', { name: 'Sample ID' });
    await search.fill(' pva-07 ');
    await submissions.nth(1).waitFor({ state: 'detached' });
    await submissions.click();
    await page.getByText('sample PVA-07a').waitFor();
    expect(await page.getByText(/sample P/).allTextContents()).toEqual([expect.stringContaining('PVA-07a')]);
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    await search.fill('PVA');
    await page.getByText('sample PVA-08').waitFor();
    await search.fill('no such sample');
    await submissions.waitFor({ state: 'detached' });
    await search.fill('');
    await submissions.nth(1).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('without the QR code, the page says to type the key', async () => {
    const who = await newAccount('plain');
    const { page, context } = await open('/account');
    await signIn(page, who);
    await page.route(/\/assets\/dist-.*\.js$/, (route) => route.abort());
    await page.getByRole('button', { name: 'Set up two-factor sign-in' }).click();
    await page.getByLabel('Your password').fill(who.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The QR code could not be loaded. Type the key below into the app.').waitFor();
    await page.getByText(/^Key: /).waitFor();
    await context.close();
  });

  test('five tabs without locks that refresh the session at the same time stay signed in', async () => {
    const who = await newAccount('tabs');
    const { page, context } = await open('/account');
    await signIn(page, who);
    await isSignedIn(page);
    // As over plain HTTP from another machine.
    await context.addInitScript('delete Navigator.prototype.locks');
    const waiting: (() => void)[] = [];
    await context.route('**/session/refresh', async (route) => {
      await new Promise<void>((go) => {
        waiting.push(go);
        if (waiting.length === 5) for (const one of waiting) one();
      });
      await route.continue();
    });
    const tabs = await Promise.all([1, 2, 3, 4, 5].map(() => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${url}/account`)));
    await Promise.all(tabs.map(isSignedIn));
    expect(waiting).toHaveLength(5);
    await context.unroute('**/session/refresh');
    await page.reload();
    await isSignedIn(page);
    await context.close();
  });

  test('a tab that did not receive the response to its refresh stays signed in', async () => {
    const who = await newAccount('cut');
    const { page, context } = await open('/account');
    await signIn(page, who);
    await isSignedIn(page);
    const before = await cookieOf(context);
    let requests = 0;
    await page.route('**/session/refresh', async (route) => {
      requests += 1;
      if (requests > 2) return route.continue();
      // The service has responded, but the browser receives neither the response nor the next cookie.
      const headers = { cookie: before, origin: new URL(url).origin };
      const answer = await request(route.request().url(), { method: 'POST', headers });
      expect(answer.status).toBe(200);
      await route.abort();
    });
    await page.reload();
    await page.getByText(/^You are offline\./).waitFor();
    expect(await cookieOf(context)).toBe(before);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await isSignedIn(page);
    expect(requests).toBe(3);
    expect(await cookieOf(context)).not.toBe(before);
    await context.close();
  });

  test('a user resets the password by mail without script, and deletes the account', async () => {
    const who = await newAccount('forgot');
    const { page, context } = await open('/account?show=forgot');
    await page.getByLabel('Email').fill(who.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('an email with a link to set a new password').waitFor();
    const [, mail] = await mailsTo(dataDir, who.email, 2);
    const plain = await open(`${mail?.link?.pathname ?? ''}${mail?.link?.search ?? ''}`, { javaScriptEnabled: false });
    const changed = 'another long and unusual password';
    expect([await violations(page), plain.problems]).toEqual([[], []]);
    await plain.page.getByLabel('New password').fill(changed);
    await plain.page.getByRole('button', { name: 'Set password' }).click();
    await plain.page.getByText('Your password is set.').waitFor();
    await plain.context.close();

    await page.getByRole('navigation', { name: 'Sign in or register' }).getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { ...who, password: changed });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all my data' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(who.email);
    await page.getByRole('button', { name: 'Delete account…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await dialog.getByLabel('Password').fill(changed);
    await dialog.getByLabel('Your email').fill('another@example.org');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByRole('alert').getByText(`Type ${who.email}`).waitFor();
    await dialog.getByLabel('Your email').fill(who.email);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Your account is deleted');
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    await mailSaying(dataDir, who.email, 'Your account was deleted');
    expect((await api.post('/auth/login', { ...who, password: changed })).status).toBe(401);
    await context.close();
  });

  test('a wrong password is sent once, and too many of them are reported as such', async () => {
    const who = await newAccount('guess');
    const { page, context } = await open('/account');
    let requests = 0;
    page.on('request', (request) => (requests += Number(request.url() === `${url}/session`)));
    await page.getByLabel('Email').fill(who.email);
    const alert = page.getByRole('alert');
    let presses = 0;
    while (!(await alert.getByText('Too many wrong passwords').isVisible())) {
      await page.getByLabel('Password').fill('a wrong and unusual password');
      const response = page.waitForResponse(`${url}/session`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await response;
      presses += 1;
      await page.getByRole('button', { name: 'Sign in', exact: true, disabled: false }).waitFor();
    }
    expect([presses > 1, requests - presses]).toEqual([true, 0]);
    expect(await page.getByText('Too many requests').count()).toBe(0);
    await context.close();
  });
});
