import { afterAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt } from '@esd/testing/records';
import { inBrowser, untilTrue, violations } from '../browser.ts';
import { newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { microscopeTiff, uploadImage } from '../support/images.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());

inBrowser(stack.url, 'from a search to feedback about a record', (open) => {
  test('search, units, images by keyboard, nearest experiments, and feedback work', async () => {
    const api = apiAt(stack.url);
    const { token: admin } = await newAdmin(stack, api);
    const images = [await uploadImage(api), await uploadImage(api, {}, microscopeTiff())];
    const fiberImages = images.map((imageId, at) => ({ imageId, imageType: `SEM ${at + 1}` }));
    const hostile = `</script><img src=x onerror=alert(1)>"'&`;
    const ids = await submitRecords(api, {
      researchMetadata: { publicationTitle: hostile, doi: '10.1000/flow' },
      userMetadata: { name: 'Ada Example', email: 'ada@example.org', consentTerms: true },
      experimentData: [{ ...recordAt(12), fiberImages }, recordAt(13)],
    });
    for (const id of ids) {
      expect((await api.post(`/moderation/records/${id}/approve`, {}, { bearer: admin })).status).toBe(200);
    }
    await untilPublic(api, ids);
    const [id = 0] = ids;

    const { page, context, problems } = await open('/', { viewport: { width: 1280, height: 900 } });
    const search = page.getByRole('searchbox', { name: 'Search experiments' });
    await search.fill('PVA 10-15 kV kollagen');
    await search.press('Enter');
    await page.waitForURL('**/search?**');
    expect(await page.locator('.chip').allTextContents()).toEqual(['Polymer PVA', 'Voltage 10–15\u202fkV']);
    expect(await page.locator('.left-out').textContent()).toContain('No match for “kollagen”. Did you mean COLLAGEN?');
    expect(await violations(page)).toEqual([]);

    await search.fill(String(id));
    await search.press('Enter');
    await page.waitForURL(`**/record/${id}`);
    const voltage = page.getByRole('row', { name: /^Voltage/ }).locator('.value');
    expect((await voltage.innerText()).trim()).toBe('12\u202fkV');
    await page.getByLabel('Units').selectOption('SI (V, m, K)');
    expect((await voltage.innerText()).trim()).toBe('12\u202f000\u202fV');
    await page.reload();
    expect((await voltage.innerText()).trim()).toBe('12\u202f000\u202fV');

    const thumb = page.getByRole('link', { name: /SEM 1/ });
    await thumb.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toContain('SEM 1');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowRight');
    expect(await dialog.textContent()).toMatch(/SEM 2.*contrast stretched/);
    expect(await dialog.getByRole('img').getAttribute('src')).toMatch(
      new RegExp(`/images/${images[1] ?? ''}/content\\?size=medium$`),
    );
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(false);
    // The close event moves the focus after the dialog has closed.
    await untilTrue(page, `document.activeElement.dataset.image?.includes('SEM 2')`);

    // The nearest record depends on the data of other tests.
    const nearest = page.getByRole('region', { name: 'Nearest experiments' }).getByRole('link').first();
    const other = (await nearest.textContent()) ?? '';
    expect(other).toMatch(/^\d+$/);
    await nearest.click();
    await page.waitForURL(`**/record/${other}`);
    await page.getByRole('link', { name: 'Report a problem with this record' }).click();
    await page.waitForURL(`**/feedback?record=${other}`);
    expect(await page.getByLabel('Subject').inputValue()).toBe(`Record ${other}`);
    await page.getByRole('button', { name: 'Send feedback' }).click();
    await page.getByRole('link', { name: 'Enter a message.' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Message (required)').fill('Is the voltage in kV?');
    await page.reload();
    expect(await page.getByLabel('Message (required)').inputValue()).toBe('Is the voltage in kV?');
    await page.getByRole('button', { name: 'Send feedback' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    const { text } = await api.get('/feedback?limit=5', { bearer: admin });
    expect(text).toContain('Is the voltage in kV?');
    expect(text).toContain(`"subject":"Record ${other}"`);
    expect(problems).toEqual([]);
    await context.close();
  });
});
