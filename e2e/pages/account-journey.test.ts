import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { inBrowser, overflow, untilTrue, violations } from '../browser.ts';
import { login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { eventually } from '@esd/testing/eventually';
import { mailsTo } from '../support/mail.ts';
import { newAddress } from '../support/new-address.ts';
import { me } from '../support/shapes.ts';

const { url, dataDir } = await sharedStack();
const api = apiAt(url);
const password = 'a long and unusual password';

/** Removes the message that browsers log for each 401 response. */
const unexpected = (problems: string[]) => problems.filter((text) => !text.includes('status of 401'));

inBrowser(url, '/account', (open) => {
  test('a user registers, creates a token, stays signed in across tabs, and signs out', async () => {
    const email = newAddress('page');
    const { page, context, problems } = await open('/account?show=register');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Name').fill('Grace Example');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('status').getByText(`An email was sent to ${email}`).waitFor();

    const [mail] = await mailsTo(dataDir, email);
    await page.goto(mail?.link?.href ?? '');
    await page.waitForURL('**/auth/verify-email');
    await page.getByRole('button', { name: 'Confirm address' }).click();
    await page.getByText('Your email address is confirmed.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();

    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('a wrong and unusual password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name', { exact: true }).first().fill('lab notebook');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.getByRole('textbox', { name: 'New token' }).inputValue();
    expect(me.parse((await api.get('/auth/me', { bearer: token })).json).email).toBe(email);
    await page.getByRole('button', { name: 'Copy token' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);

    await page.reload();
    await page.getByRole('rowheader', { name: 'lab notebook' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'New token' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'My account' }).count()).toBe(1);
    await untilTrue(page, `localStorage.getItem('esd-unread') !== null`);
    // Storage has only the role and the counts of the header, the URL has nothing, and scripts cannot read the cookie.
    expect(await page.evaluate('[{ ...localStorage }, { ...sessionStorage }, document.cookie]')).toEqual([
      { 'esd-signed-in': 'USER', 'esd-unread': expect.stringMatching(/^0 0 \d+$/) },
      {},
      '',
    ]);
    expect(page.url()).toBe(`${url}/account`);
    expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/' }]);

    // Another tab is signed in too, and continues a form whose session ended.
    const other = await context.newPage();
    await other.goto(`${url}/account`);
    await other.getByRole('button', { name: 'New token' }).click();
    await other.getByLabel('Name', { exact: true }).first().fill('typed before');
    await api.post('/auth/logout-all', {}, { bearer: await login(api, { email, password }) });
    await other.getByRole('button', { name: 'Create token' }).click();
    const dialog = other.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('Your session has ended. Sign in to continue. Your input is preserved.').waitFor();
    expect(await dialog.getByLabel('Email').inputValue()).toBe(email);
    expect(await violations(other)).toEqual([]);
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('Token “typed before” is ready.').waitFor();
    expect([await violations(other), await overflow(other)]).toEqual([[], 0]);

    // The first tab has the new session, and both tabs learn of the sign-out.
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('Saved.').waitFor();
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await eventually(
      () => page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).count(),
      (count) => count === 2,
    );
    await untilTrue(page, 'localStorage.length === 0');
    expect(unexpected(problems)).toEqual([]);
    await context.close();
  });

  test('without script, the page says that it requires JavaScript', async () => {
    const { page, context } = await open('/account', { javaScriptEnabled: false });
    expect(await page.getByText('This page requires JavaScript.').isVisible()).toBe(true);
    expect(await page.getByLabel('Password').count()).toBe(0);
    expect(await page.locator('meta[name=robots]').getAttribute('content')).toBe('noindex');
    await context.close();
  });
});
