import { expect, test } from '@jest/globals';
import { anonymousSubmitter, recordAt } from '@esd/testing/records';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { inBrowser } from '../browser.ts';
import { registerAccount } from '../support/accounts.ts';
import { login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords } from '../support/dataset.ts';
import { demoAdmin } from '../support/demo-accounts.ts';
import { eventually } from '@esd/testing/eventually';

const { url, dataDir } = await sharedStack();
const api = apiAt(url);
const staff = demoAdmin(dataDir);

const MIN_ACTIONS = 40;
const WAIT_MS = 60_000;

/** Reads the focused element: its name, and whether users see it and its mark. */
const FOCUSED = `(() => {
  const element = document.activeElement ?? document.body;
  if (element === document.body) return { name: 'body', isVisible: false, isMarked: false, isInWindow: false };
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  const { outlineStyle, visibility } = getComputedStyle(element);
  const labels = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
  const name = element.getAttribute('aria-label') ?? (labels.join(' ').trim() || (element.labels?.[0]?.textContent ?? element.textContent));
  return {
    name: name.trim().replaceAll(/\\s+/g, ' '),
    isVisible: width > 0 && height > 0 && visibility === 'visible',
    isMarked: outlineStyle !== 'none',
    isInWindow: bottom > 0 && right > 0 && top >= -1 && top < innerHeight && left < innerWidth,
  };
})()`;
const focused = z.object({ name: z.string(), isVisible: z.boolean(), isMarked: z.boolean(), isInWindow: z.boolean() });

let actions = 0;
const failures: string[] = [];

/** Acts by keyboard, and notes a failure unless the focus moves to an element with this name, visible and within the window. */
async function expectFocus(page: Page, act: () => Promise<unknown>, name: RegExp): Promise<void> {
  actions += 1;
  try {
    await act();
    await eventually(
      async () => focused.parse(await page.evaluate(FOCUSED)),
      (state) => name.test(state.name) && state.isVisible && state.isMarked && state.isInWindow,
      WAIT_MS,
    );
  } catch (error) {
    failures.push(`action ${actions}, expected ${String(name)}: ${String(error)}`);
  }
}

/** Focuses a control, and presses a key on it. */
const press = async (control: Locator, key = 'Enter'): Promise<void> => {
  await control.focus();
  await control.press(key);
};

/** Returns the expectations of one page. */
const walkOn = (page: Page) => ({
  press: (control: Locator, name: RegExp, key?: string) => expectFocus(page, () => press(control, key), name),
  key: (key: string, name: RegExp) => expectFocus(page, () => page.keyboard.press(key), name),
  button: (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }),
  link: (name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' }).first(),
});

inBrowser(url, 'the focus', (open) => {
  const WINDOW = { viewport: { width: 1280, height: 900 } };

  async function walkOnExplore(): Promise<void> {
    const { page, context } = await open('/explore', WINDOW);
    context.setDefaultTimeout(WAIT_MS);
    const { press, key, button, link } = walkOn(page);
    const box = (at: number) => page.getByRole('checkbox', { name: /^Compare record/ }).nth(at);
    await box(0).waitFor();
    await page.keyboard.press('Tab');
    await key('Enter', /experiments/);
    await press(button('Download'), /^Download 809 experiments$/);
    await key('Escape', /^Download$/);
    await press(button('Cite'), /^Cite 809 experiments$/);
    await key('Escape', /^Cite$/);
    await press(link(/\(PVDF\) 190/), /PVDF.*✓/);
    await press(link(/^no 32/), /no ✓/);
    await press(link(/^Remove filter: Polymer/), /^Remove filter: Stable/);
    await press(link(/^Remove filter: Stable/), /^809 experiments \(648 distinct\)$/);
    await press(link('Table'), /^Records$/);
    await press(link('Next page'), /^Records$/);
    await press(button(/^Columns/), /.+/);
    await key('Escape', /^Columns/);
    await press(box(0), /^Compare record/, 'Space');
    await press(box(1), /^Compare record/, 'Space');
    await press(link('Compare side by side'), /^Comparison$/);
    await press(link(/^Remove record/), /^Remove record/);
    // The link that was pressed also has the expected name.
    await eventually(
      () => page.getByRole('link', { name: /^Remove record/ }).count(),
      (count) => count === 1,
    );
    await press(link(/^Remove record/), /^Comparison$/);
    await press(link('Coverage'), /^Reported values$/);
    await press(link('Map'), /^Processing window$/);
    await context.close();
  }

  async function walkOnContribute(): Promise<void> {
    const { page, context } = await open('/contribute', WINDOW);
    context.setDefaultTimeout(WAIT_MS);
    const { press, key, button, link } = walkOn(page);
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await press(button('Add a solvent'), /^Solvent 2$/);
    await field('Solvent 2').fill('DMF');
    await press(button('Send 1 experiment'), /errors to fix before you can send$/);
    await press(link('Polymer: Name the polymer'), /^Polymer/);
    await field('Polymer').fill('PVA');
    await press(button('Add a DOI or title'), /^DOI of the paper$/);
    await press(button('Done'), /^Add a DOI or title$/);
    await field('What went wrong').selectOption({ index: 1 });
    await press(button(/^Remove (?!filter)/), /^What went wrong$/);
    await press(button('Add experiment'), /^2 · new$/);
    await press(button('Remove experiment 2'), /^1 · PVA$/);
    for (const label of ['Your name', 'Your email address']) await field(label).fill('ada@example.org');
    await page.getByLabel('I have the right to share these data').check();
    await press(button('Check only'), /passed the check/);
    await press(button('Sheet'), /^Sheet$/);
    await field('Paste cells').fill('Polymer\tVoltage (kV)\nPVA\thigh\nPAN\t15');
    await press(button('Read the cells'), /^Sheet: pasted cells$/);
    await press(link('Row 2, Voltage'), /^high$/);
    await page.keyboard.press('F2');
    await key('Escape', /^high$/);
    await press(button('leave empty'), /^leave empty$/);
    await press(button('Undo'), /^leave empty$/);
    await press(button(/^Voltage \(kV\) →/), /^Field for Voltage \(kV\)$/);
    await key('Escape', /^Voltage \(kV\) →/);
    await press(button('Form'), /^1 · PVA$/);
    await press(button('Send 1 experiment'), /^Sent\. Submission \d+/);
    await context.close();
  }

  async function walkOnAccount(): Promise<void> {
    const who = await registerAccount(api, dataDir, 'focus');
    await submitRecords(api, { experimentData: [recordAt(31)] }, await login(api, who));
    const { page, context } = await open('/account', WINDOW);
    context.setDefaultTimeout(WAIT_MS);
    const { press, key, button, link } = walkOn(page);
    await page.getByLabel('Email').fill(who.email);
    await page.getByLabel('Password', { exact: true }).fill(who.password);
    await press(button('Sign in'), /^Your account$/);
    await button('New token').waitFor();
    await press(link('Tokens'), /^Tokens$/);
    await press(button('New token'), /^New token$/);
    await press(button('Cancel'), /^New token$/);
    for (const name of ['first', 'second']) {
      await press(button('New token'), /^New token$/);
      await page.getByLabel('Name', { exact: true }).first().fill(name);
      await press(button('Create token'), new RegExp(`^Token “${name}” is ready`));
    }
    await button('Revoke token “second”').waitFor();
    await press(button('Revoke token “first”'), /^Keep it$/);
    await key('Escape', /^Revoke token “first”$/);
    for (const [name, next] of [
      ['first', /^Revoke token “second”$/],
      ['second', /^Tokens$/],
    ] as const) {
      await press(button(`Revoke token “${name}”`), /^Keep it$/);
      await press(page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }), next);
    }
    await press(button('Set up two-factor sign-in'), /^Two-factor sign-in$/);
    await press(button('Cancel'), /^Set up two-factor sign-in$/);
    await press(button(/^Submission /), /^Submission /);
    await press(button(/^Messages of record/), /^Messages of record/);
    await page.getByLabel(/^Message to/).fill('The drum turned.');
    await press(button('Send message'), /The drum turned\.$/);
    await press(button('Sign out'), /^Your account$/);
    await context.close();
  }

  async function walkOnStaffPages(): Promise<void> {
    const who = await registerAccount(api, dataDir, 'queue');
    const userMetadata = { ...anonymousSubmitter, name: who.email };
    const experimentData = [recordAt(32), recordAt(33)];
    const bearer = await login(api, who);
    const [first = 0] = await submitRecords(api, { userMetadata, experimentData }, bearer);
    await api.post(`/data/records/${first}/messages`, { text: 'It was a drum.' }, { bearer });
    const { page, context } = await open(`/moderate?submitter=${encodeURIComponent(who.email)}`, WINDOW);
    context.setDefaultTimeout(WAIT_MS);
    const { press, key, button, link } = walkOn(page);
    await page.getByLabel('Email').fill(staff.email);
    await page.getByLabel('Password', { exact: true }).fill(staff.password);
    await press(button('Sign in'), /^(Moderate|New record \d+)$/);
    await button(/^Reject…/).waitFor();
    await press(button(/^Reject…/), /^Reason$/);
    await key('Escape', /^Reject…/);
    await press(button(/^Mark as read/), /It was a drum\.$/);
    await key('m', /^Write to the contributor$/);
    await page.getByLabel('Write to the contributor').fill('Which drum?');
    await press(button('Send message'), /Which drum\?$/);
    await key('j', /^New record \d+$/);
    await key('u', /new record \d+/);
    await press(button('Submissions'), /^Waiting: \d+$/);
    await press(button('Records'), /^Waiting: \d+$/);
    await key('?', /^Close$/);
    await key('Escape', /^Waiting: \d+$/);
    await page.goto(`${url}/manage`);
    await link('Papers').waitFor();
    await press(link('Papers'), /^Papers$/);
    await press(link('Reference lists'), /^Reference lists$/);
    await press(button('Add a polymer'), /.+/);
    await key('Escape', /^Add a polymer$/);
    await context.close();
  }

  async function walkOnSubmission(): Promise<void> {
    const who = await registerAccount(api, dataDir, 'table');
    const experimentData = [34, 35, 36].map((voltage) => recordAt(voltage));
    const [first = 0, second = 0] = await submitRecords(api, { experimentData }, await login(api, who));
    const review = await api.get(`/moderation/records/${first}`, { bearer: await login(api, staff) });
    const { submissionId } = z.looseObject({ submissionId: z.int() }).parse(review.json);
    const table = new RegExp(`^Submission ${submissionId}$`);
    const { page, context } = await open(`/moderate?submissionId=${submissionId}`, WINDOW);
    context.setDefaultTimeout(WAIT_MS);
    const { press, key, button } = walkOn(page);
    await page.getByLabel('Email').fill(staff.email);
    await page.getByLabel('Password', { exact: true }).fill(staff.password);
    await press(button('Sign in'), table);
    await key('j', new RegExp(`^${second}$`));
    await key('x', new RegExp(`^${second}$`));
    await key('Enter', new RegExp(`^New record ${second}$`));
    await key('u', table);
    await key('r', /^Reason$/);
    await key('Escape', /^Reject 1…/);
    await press(button(/^Reject 1…/), /^Reason$/);
    await page.getByLabel('Reason', { exact: true }).fill('Which paper?');
    await press(button('Reject 1 record'), table);
    await key('u', /Submission \d+/);
    await context.close();
  }

  async function walkOnFeedback(): Promise<void> {
    const { page, context } = await open('/feedback', WINDOW);
    context.setDefaultTimeout(WAIT_MS);
    const { press, button, link } = walkOn(page);
    await press(button('Send feedback'), /to fix before you can send/);
    await press(link(/message/i), /^Message/);
    await page.getByLabel(/^Message/).fill('The page is clear.');
    await press(button('Send feedback'), /^Thank you$/);
    await context.close();
  }

  test('stays visible and within the window after each of at least 40 actions by keyboard', async () => {
    for (const walk of [
      walkOnExplore,
      walkOnContribute,
      walkOnAccount,
      walkOnFeedback,
      walkOnStaffPages,
      walkOnSubmission,
    ]) {
      await walk();
    }
    expect(failures).toEqual([]);
    expect(actions).toBeGreaterThanOrEqual(MIN_ACTIONS);
  });
});
