import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { inBrowser, overflow, violations } from '../browser.ts';
import { addAccount } from '../support/accounts.ts';
import { login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { FREEZE_MS, submitRecords, untilPublic } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { noisePng } from '../support/images.ts';
import { newAddress } from '../support/new-address.ts';
import { newStaff, signInOn } from '../support/staff.ts';
import { whileAway } from '../support/while-away.ts';

const stack = await leaseStack('moderated');
const api = apiAt(stack.url);
let staff: Awaited<ReturnType<typeof newStaff>>;
beforeAll(async () => {
  staff = await newStaff(stack, api);
});
afterAll(() => stack.stop());

const suffix = () => randomBytes(4).toString('hex').toUpperCase();
const dialogOf = (page: Page) => page.getByRole('dialog');

inBrowser(stack.url, '/manage', (open) => {
  const manage = async (section: string) => {
    const opened = await open(`/manage?section=${section}`);
    await signInOn(opened.page, staff.admin);
    return opened;
  };

  test('a new role and disabling an account take effect immediately', async () => {
    const { who } = await addAccount(stack, staff.admin, newAddress('promoted'));
    const token = await login(api, who);
    expect((await api.get('/moderation/queue', { bearer: token })).status).toBe(403);
    const { page, context, problems } = await manage('accounts');
    await page.getByLabel('Email or name').fill(who.email);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Showing all 1.').waitFor();
    await page.getByLabel(`Role of ${who.email}`).selectOption('MODERATOR');
    await dialogOf(page).getByRole('button', { name: 'Change the role' }).click();
    await page.getByText(`${who.email} now has the role MODERATOR.`).waitFor();
    expect((await api.get('/moderation/queue', { bearer: token })).status).toBe(200);
    await page.getByRole('button', { name: `Disable ${who.email}` }).click();
    await dialogOf(page).getByRole('button', { name: 'Disable the account' }).click();
    await page.getByText(`The account of ${who.email} is now disabled.`).waitFor();
    expect((await api.get('/moderation/queue', { bearer: token })).status).toBe(401);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('an entry shows its errors, is added, renamed with its old name as an alias, and deleted', async () => {
    const [name, renamed] = [`NEW${suffix()}`, `OTHER${suffix()}`];
    const { page, context } = await manage('lists');
    await page.getByRole('button', { name: 'Add a polymer' }).click();
    await dialogOf(page).getByLabel('Name required').fill(name);
    await dialogOf(page).getByLabel('CAS number').fill('1-2-3');
    const cas = dialogOf(page).getByLabel('CAS number');
    expect(await cas.getAttribute('aria-invalid')).toBeNull();
    await dialogOf(page).getByRole('button', { name: 'Add the polymer' }).click();
    await dialogOf(page).locator('[aria-invalid="true"]').waitFor();
    expect(await cas.getAttribute('aria-invalid')).toBe('true');
    await cas.fill('');
    await dialogOf(page).getByLabel('Aliases').fill(`alias one ${name}\nalias two ${name}`);
    await dialogOf(page).getByRole('button', { name: 'Add the polymer' }).click();
    await page.getByText('The polymer was added.').waitFor();

    await page.getByLabel('Find a polymer').fill(`alias two ${name}`);
    await page.getByRole('button', { name: `Edit ${name}` }).click();
    await dialogOf(page).getByLabel('Name required').fill(renamed);
    await dialogOf(page).getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText(`The polymer ${name} was changed.`).waitFor();
    await page.getByRole('rowheader', { name: renamed }).waitFor();
    const polymers = z
      .array(z.object({ name: z.string(), aliases: z.array(z.string()) }))
      .parse((await api.get('/metadata/polymers')).json);
    expect(polymers.find((one) => one.name === renamed)?.aliases).toEqual(
      expect.arrayContaining([name, `alias one ${name}`, `alias two ${name}`]),
    );

    await page.getByRole('button', { name: `Edit ${renamed}` }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete…' }).click();
    await dialogOf(page)
      .getByRole('button', { name: `Delete ${renamed}` })
      .click();
    await page.getByText(`The polymer ${renamed} was deleted.`).waitFor();
    await page.getByText('No name matches').waitFor();

    // An entry that records use cannot be deleted.
    await submitRecords(api, {
      userMetadata: anonymousSubmitter,
      experimentData: [recordAt(73)],
    });
    await page.getByLabel('Find a polymer').fill('PVA');
    await page.getByRole('button', { name: 'Edit PVA', exact: true }).click();
    await dialogOf(page)
      .getByText(/^(1 record uses|\d+ records use) it\.$/)
      .waitFor();
    expect(await dialogOf(page).getByRole('button', { name: 'Delete…' }).isVisible()).toBe(false);
    await context.close();
  });

  test('a paper shows its errors, is added, changed, and deleted', async () => {
    const [doi, title] = [`10.5555/${suffix().toLowerCase()}`, `Fibers ${suffix()}`];
    const { page, context } = await manage('papers');
    await page.getByRole('button', { name: 'Add a paper' }).click();
    await dialogOf(page).getByLabel('DOI required').fill(doi);
    await dialogOf(page).getByLabel('Title required').fill(title);
    await dialogOf(page).getByLabel('Authors').fill('Li, J. (0000-0002-1825-0097)\n"A group"');
    await dialogOf(page).getByLabel('Year').fill('12');
    await dialogOf(page).getByRole('button', { name: 'Add the paper' }).click();
    await dialogOf(page).locator('[name="year"][aria-invalid="true"]').waitFor();
    await dialogOf(page).getByLabel('Year').fill('2012');
    await dialogOf(page).getByRole('button', { name: 'Add the paper' }).click();
    await page.getByText('The paper was added.').waitFor();

    await page.getByLabel('Title, author, journal, or DOI').fill(title);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: `Edit ${title}` }).click();
    const authors = dialogOf(page).getByLabel('Authors');
    expect(await authors.inputValue()).toBe('Li, J. (0000-0002-1825-0097)\n"A group"');
    await dialogOf(page).getByLabel('Journal').fill('Journal of fibers');
    await dialogOf(page).getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText(`The paper “${title}” was changed.`).waitFor();
    const { json } = await api.get(`/metadata/papers?doi=${doi}`);
    expect(json).toMatchObject({
      data: [
        {
          doi,
          title,
          authors: [{ family: 'Li', given: 'J.', orcid: '0000-0002-1825-0097' }, { name: 'A group' }],
          year: 2012,
          journal: 'Journal of fibers',
        },
      ],
    });

    await page.getByRole('button', { name: `Edit ${title}` }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete…' }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete the entry' }).click();
    await page.getByText(`The entry “${title}” was deleted.`).waitFor();
    await page.getByText('No paper matches.').waitFor();
    await context.close();
  });

  test('a release is frozen with its progress shown, and gets its DOI and notes', async () => {
    const ids = await submitRecords(api, {
      userMetadata: anonymousSubmitter,
      experimentData: [recordAt(71)],
    });
    await api.post('/moderation/approve', { recordIds: ids }, { bearer: staff.token });
    await untilPublic(api, ids);
    const version = `v${1 + Math.floor(Math.random() * 1e6)}.0.0`;
    const { page, context } = await manage('releases');
    await page.getByRole('button', { name: 'Freeze a release' }).click();
    await dialogOf(page).getByLabel('Identifier').fill('1.0');
    await dialogOf(page).getByRole('button', { name: 'Freeze the release' }).click();
    await dialogOf(page).getByRole('alert').waitFor();
    await dialogOf(page).getByLabel('Identifier').fill(version);
    await dialogOf(page).getByRole('button', { name: 'Freeze the release' }).click();
    await page.getByText(new RegExp(`^${version} is (being )?frozen with `)).waitFor();
    // Reloading the page shows the progress again.
    await page.reload();
    await page.getByText(new RegExp(`^${version} is frozen with \\d+`)).waitFor({ timeout: FREEZE_MS });
    await page.getByRole('button', { name: `Edit ${version}` }).click();
    const doi = `10.5281/zenodo.${Math.floor(Math.random() * 1e9)}`;
    await dialogOf(page).getByLabel('DOI').fill(doi);
    await dialogOf(page).getByLabel('Notes').fill('For the test of a page.');
    await dialogOf(page).getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText(`${version} was changed.`).waitFor();
    await page.getByRole('cell', { name: doi }).waitFor();
    const read = await api.get(`/public/dataset/${encodeURIComponent(doi)}?limit=1`);
    expect(read.json).toMatchObject({ version });
    await context.close();
  });

  test('feedback is handled and deleted, and the sender of a submission is erased', async () => {
    const subject = `Unit ${suffix()}`;
    await api.post('/feedback/submit', {
      name: 'Ada',
      category: 'data',
      subject,
      message: 'Is it <b>kV</b>?',
    });
    const { page, context } = await manage('feedback');
    const row = page.getByRole('row').filter({ hasText: subject });
    await row.getByText('Is it <b>kV</b>?').waitFor();
    await row.getByLabel(/^State of feedback/).selectOption('in progress');
    await row.getByLabel(/^Note on feedback/).fill('Asked the authors.');
    await row.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Feedback \d+ was saved\.$/).waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('in progress');
    await row.getByText('Asked the authors.').waitFor();
    await row.getByRole('button', { name: /^Delete feedback/ }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete the feedback' }).click();
    await page.getByText(/^Feedback \d+ was deleted\.$/).waitFor();
    await row.waitFor({ state: 'detached' });

    const name = `Erased ${suffix()}`;
    const sent = await api.post('/data/submit', {
      userMetadata: { ...anonymousSubmitter, name },
      experimentData: [recordAt(72)],
    });
    const { submissionId } = z.object({ submissionId: z.int() }).parse(sent.json);
    await page.getByLabel('Submission number').fill(String(submissionId));
    await page.getByRole('button', { name: 'Erase the sender…' }).click();
    await dialogOf(page).getByRole('button', { name: 'Erase the sender' }).click();
    await page.getByText(`The sender of submission ${submissionId} was erased.`).waitFor();
    const queue = await api.get(`/moderation/queue?submitter=${encodeURIComponent(name)}`, { bearer: staff.token });
    expect(queue.json).toMatchObject({ total: 0 });
    await context.close();
  });

  test('an image in feedback is shown on demand, and a file that is not an image is never opened', async () => {
    const [good, hostile] = [`Image ${suffix()}`, `Image ${suffix()}`];
    const fiber = noisePng(40);
    const script = '<html><svg onload="window.wasRun = 1"><script>window.wasRun = 1</script></svg></html>';
    const forged = Buffer.concat([fiber.subarray(0, 8), Buffer.from(script)]);
    const sent = (subject: string, image: Buffer) =>
      api.post('/feedback/submit', {
        name: 'Ada',
        category: 'data',
        subject,
        message: 'See it.',
        imageBase64: image.toString('base64'),
      });
    expect((await sent(good, fiber)).status).toBe(201);
    expect((await sent(hostile, forged)).status).toBe(201);
    // The service accepts only files that begin like an image.
    expect((await sent(hostile, Buffer.from(script))).status).toBe(400);

    const { page, context, problems } = await manage('feedback');
    const rowOf = (subject: string) => page.getByRole('row').filter({ hasText: subject });
    const buttonOf = (subject: string) =>
      rowOf(subject).getByRole('button', { name: /^(Show|Hide) the image of feedback \d+$/ });
    await buttonOf(good).click();
    const image = rowOf(good).getByRole('img');
    await image.waitFor();
    const address = (await image.getAttribute('src')) ?? '';
    expect(address).toMatch(/^blob:/);
    const shown = `document.querySelector('img[src^="blob:"]')`;
    expect(await page.evaluate(`${shown}.decode().then(() => ${shown}.naturalWidth)`)).toBe(40);
    expect(await violations(page)).toEqual([]);
    await buttonOf(good).click();
    await image.waitFor({ state: 'detached' });
    // The object URL is revoked after the next paint.
    const probe = `new Promise((resolve) => {
      const probe = new Image();
      probe.onload = () => resolve('valid');
      probe.onerror = () => resolve('revoked');
      probe.src = ${JSON.stringify(address)};
    })`;
    await eventually(
      () => page.evaluate(probe),
      (answer) => answer === 'revoked',
    );

    await buttonOf(hostile).click();
    await rowOf(hostile).getByText('This file cannot be shown as an image.').waitFor();
    expect(await page.evaluate('"wasRun" in window')).toBe(false);
    // Only the probe of the revoked URL may fail.
    expect(problems.filter((text) => !text.includes('ERR_FILE_NOT_FOUND'))).toEqual([]);
    await context.close();
  });

  test('the audit trail is filtered, and saved as CSV', async () => {
    const { page, context } = await manage('audit');
    await page.getByLabel('Action, such as login').fill('login');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('rowheader', { name: 'login', exact: true }).first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const [head, first, ...rest] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(head).toBe('id,at,action,actor,subject,request,client,details');
    expect(first).toMatch(/^\d+,\d{4}-\d\d-\d\dT[^,]+,login,/);
    await page.getByText(`Entries saved to audit.csv: ${rest.length + 1}.`).waitFor();
    await context.close();
  });

  test('the services are shown with their replicas and refreshed, and a failed refresh keeps the last state', async () => {
    const { page, context, problems } = await manage('services');
    const rows = page.getByRole('group', { name: 'Replicas' }).getByRole('row');
    const rowOf = (name: string) => rows.filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    const media = rowOf('media-svc');
    await media.getByText('✓Ready', { exact: true }).waitFor();
    for (const name of ['gateway', 'dataset-svc', 'identity-svc', 'submission-svc', 'export-svc']) {
      await rowOf(name).waitFor();
    }
    await page.getByRole('row').filter({ hasText: 'dataset-svc-record-approved' }).waitFor();
    expect(problems).toEqual([]);

    await whileAway(stack, 'gone', ['media-svc'], async () => {
      // The page refreshes without the button.
      await media.getByText('×Unreachable', { exact: true }).waitFor();
      await page.getByText('media-svc is not responding.').waitFor();
      expect(await violations(page)).toEqual([]);
    });
    await page.getByRole('button', { name: 'Refresh now' }).click();
    await media.getByText('✓Ready', { exact: true }).waitFor();

    await page.route('**/admin/status', (route) => route.fulfill({ status: 500, json: { message: 'It broke.' } }));
    await page.getByRole('button', { name: 'Refresh now' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('It broke.').waitFor();
    await alert.getByText(/^This is the state at \d\d:\d\d:\d\d\./).waitFor();
    await media.getByText('✓Ready', { exact: true }).waitFor();
    await page.unroute('**/admin/status');
    await page.getByRole('button', { name: 'Refresh now' }).click();
    await alert.waitFor({ state: 'detached' });
    await context.close();
  });

  test('every section is accessible in light and dark mode, wide and narrow', async () => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 320],
    ] as const) {
      const { page, context, problems } = await open('/manage', {
        colorScheme,
        viewport: { width, height: 900 },
      });
      await signInOn(page, staff.admin);
      for (const section of ['Accounts', 'Reference lists', 'Releases', 'Feedback', 'Audit trail', 'Services']) {
        await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section }).click();
        await page.getByRole('heading', { name: section }).waitFor();
        await page.getByText('Loading…').waitFor({ state: 'detached' });
        expect([section, width, await violations(page)]).toEqual([section, width, []]);
        expect([section, width, await overflow(page)]).toEqual([section, width, 0]);
      }
      await page.goBack();
      await page.getByRole('heading', { name: 'Audit trail', exact: true }).waitFor();
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Reference lists' }).click();
      await page
        .getByRole('button', { name: /^Edit / })
        .first()
        .click();
      expect(['dialog', width, await violations(page)]).toEqual(['dialog', width, []]);
      expect(problems).toEqual([]);
      await context.close();
    }
  });
});
