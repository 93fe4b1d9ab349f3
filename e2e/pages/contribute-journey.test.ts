import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Page } from 'playwright-core';
import { eventually } from '@esd/testing/eventually';
import { inBrowser, overflow, violations } from '../browser.ts';

const { url } = await sharedStack();

const HEADINGS = 'Polymer\tSolvent\tConcentration (wt%)\tVoltage (kV)\tDistance\tStable';

/** Runs in the page: returns whether a stored draft has this voltage. */
const HAS_DRAFT = `(voltage) => new Promise((resolve) => {
  const opening = indexedDB.open('esd-contribute');
  opening.onsuccess = () => {
    const database = opening.result;
    const reading = database.transaction('drafts').objectStore('drafts').getAll();
    reading.onsuccess = () => {
      database.close();
      resolve(reading.result.some(({ experiments: [one] }) => one.values['processParameter.voltage'] === voltage));
    };
  };
})`;

/** Waits until the element with this id has the focus. */
async function focused(page: Page, id: string): Promise<void> {
  await page.locator(`[id="${id}"]:focus`).waitFor();
}

/** Waits until the browser stores a draft with this voltage. */
async function untilStored(page: Page, voltage: string): Promise<void> {
  await eventually(
    () => page.evaluate(`(${HAS_DRAFT})('${voltage}')`),
    (isStored) => isStored === true,
  );
}

/** Waits until the browser has released the locks of closed tabs, which takes some time after `close`. */
async function untilFree(page: Page): Promise<void> {
  await eventually(
    () => page.evaluate('navigator.locks.query().then(({ held }) => held.length)'),
    (held) => held === 0,
  );
}

const voltageOf = (page: Page) => page.getByLabel('Voltage', { exact: true });
const isElsewhere = (page: Page) => page.getByText(/Your draft from .* is open in another tab\./).waitFor();

async function fillInSender(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Example');
  await page.getByLabel('Your email address').fill('ada@example.org');
  await page.getByLabel('I have the right to share these data').check();
}

inBrowser(url, '/contribute', (open) => {
  test('an experiment is entered, corrected, restored after a reload, and sent without an account', async () => {
    const { page, context, problems } = await open('/contribute', { viewport: { width: 1280, height: 900 } });
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.accept();
    });
    const polymer = page.getByLabel('Polymer', { exact: true });
    const voltage = page.getByLabel('Voltage', { exact: true });
    await polymer.pressSequentially('polyvinylidene fluoride');
    await page.getByRole('option', { name: /^PVDF/ }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await polymer.inputValue()).toBe('PVDF');
    await voltage.fill('12500 V');
    await page.getByLabel('Tip–collector distance', { exact: true }).fill('15');
    await page.getByText('“12500 V” is read as 12500 V.').waitFor();
    expect([await voltage.inputValue(), await page.getByLabel('Voltage, unit').inputValue()]).toEqual(['12500', 'V']);
    await page.getByLabel('Voltage, unit').selectOption('kV');
    await voltage.fill('12-15');
    await page.getByLabel('Tip–collector distance', { exact: true }).fill('15');
    await page.getByText('Choose how “12-15” is read').waitFor();
    expect(await voltage.getAttribute('aria-invalid')).toBe('true');
    await fillInSender(page);
    await page.getByRole('button', { name: 'Send 1 experiment' }).click();
    await page.getByText('1 error to fix before you can send').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Voltage: Choose how “12-15” is read' }).click();
    await focused(page, '0-processParameter.voltage');
    await page.getByRole('button', { name: '13.5', exact: true }).click();
    await focused(page, '0-processParameter.voltage');
    expect(await voltage.inputValue()).toBe('13.5');
    await voltage.fill('65');
    await page.getByText('Higher than all 190 experiments with PVDF (5–50 kV).').waitFor();
    await untilStored(page, '65');
    await page.reload();
    expect(dialogs).toBe(1);
    await page.getByText(/Your draft from .* is restored\./).waitFor();
    expect([await polymer.inputValue(), await voltage.inputValue()]).toEqual(['PVDF', '65']);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Send 1 experiment' }).click();
    await page.getByText(/Sent\. Submission \d+, 1 record\./).waitFor();
    expect(await page.getByRole('cell', { name: /Waiting for review/ }).count()).toBe(1);
    expect(await polymer.inputValue()).toBe('');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('pasted rows are corrected in their cells and sent, and the page is accessible in dark mode at 320 px', async () => {
    const { page, context, problems } = await open('/contribute', {
      colorScheme: 'dark',
      viewport: { width: 320, height: 900 },
    });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sheet' }).click();
    const rows = ['PAN\tDMF\t7\t18\t12\tyes', 'PVDF-HF\tDMF\t7\t18\t3\tyes', 'PVA\twater\t10\t150\t4\tno'];
    await page.getByLabel('Paste cells').fill([HEADINGS, ...rows].join('\n'));
    await page.getByRole('button', { name: 'Read the cells' }).click();
    await page.getByText('3 rows: 2 ready, 1 with errors, 0 left out.').waitFor();
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    await page.getByRole('link', { name: 'Row 3, Polymer' }).click();
    await focused(page, 'cell-1-0');
    const cell = page.getByRole('gridcell', { name: 'PVDF-HF' });
    expect(await cell.getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('F2');
    await page.keyboard.type('P');
    await page.keyboard.press('Escape');
    expect(await cell.count()).toBe(1);
    await page.keyboard.type('pvdf');
    await page.keyboard.press('Enter');
    await page.getByText('3 rows: 3 ready, 0 with errors, 0 left out.').waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await fillInSender(page);
    await page.getByRole('button', { name: 'Send 3 rows' }).click();
    await page.getByText(/Sent\. Submission \d+, 3 records\./).waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a second tab takes over the open draft or starts another, and both are stored', async () => {
    const { page: first, context, problems } = await open('/contribute');
    const openTab = async (): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(`${url}/contribute`);
      return page;
    };
    await voltageOf(first).fill('12');
    await untilStored(first, '12');
    const second = await openTab();
    await isElsewhere(second);
    expect(await voltageOf(second).count()).toBe(0);
    expect([await violations(second), await overflow(second)]).toEqual([[], 0]);
    // Input that is not stored yet must not be lost.
    await voltageOf(first).fill('13');
    await second.getByRole('button', { name: 'Continue here' }).click();
    await isElsewhere(first);
    expect(await voltageOf(second).inputValue()).toBe('13');
    await first.getByRole('button', { name: 'Start another draft' }).click();
    expect(await voltageOf(first).inputValue()).toBe('');
    await voltageOf(first).fill('7');
    await untilStored(first, '7');
    await voltageOf(second).fill('14');
    await untilStored(second, '14');
    expect(await voltageOf(first).inputValue()).toBe('7');
    // A waiting tab continues automatically when the other one is closed.
    const third = await openTab();
    await isElsewhere(third);
    await second.close();
    await third.getByText(/Your draft from .* is restored\./).waitFor();
    expect(await voltageOf(third).inputValue()).toBe('14');
    await first.close();
    await third.close();

    const later = await context.newPage();
    await later.goto(`${url}/`);
    await untilFree(later);
    await later.goto(`${url}/contribute`);
    await later.getByText(/Your draft from .* is restored\./).waitFor();
    expect(await voltageOf(later).inputValue()).toBe('14');
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      later.getByRole('link', { name: 'open the next one in a new tab' }).click(),
    ]);
    await other.getByText(/Your draft from .* is restored\./).waitFor();
    expect(await voltageOf(other).inputValue()).toBe('7');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a draft is taken over from a tab that does not respond', async () => {
    const { page: first, context } = await open('/contribute');
    await voltageOf(first).fill('21');
    await untilStored(first, '21');
    let close = (): void => undefined;
    const isOpen = new Promise<void>((opened) => {
      first.on('dialog', (dialog) => {
        close = () => void dialog.dismiss();
        opened();
      });
    });
    const answered = first.evaluate('alert("The tab waits for an answer.")');
    await isOpen;
    const second = await context.newPage();
    await second.goto(`${url}/contribute`);
    await second.getByRole('button', { name: 'Continue here' }).click();
    await voltageOf(second).waitFor();
    expect(await voltageOf(second).inputValue()).toBe('21');
    close();
    await answered;
    await isElsewhere(first);
    await context.close();
  });

  test('without locks in the browser, two tabs that change one draft store two drafts', async () => {
    const { page: first, context } = await open('/contribute');
    await context.addInitScript('delete Navigator.prototype.locks');
    await first.reload();
    await voltageOf(first).fill('31');
    await untilStored(first, '31');
    const second = await context.newPage();
    await second.goto(`${url}/contribute`);
    await second.getByText(/Your draft from .* is restored\./).waitFor();
    await voltageOf(first).fill('32');
    await untilStored(first, '32');
    await voltageOf(second).fill('33');
    await untilStored(second, '33');
    expect(await second.evaluate(`(${HAS_DRAFT})('32')`)).toBe(true);
    await context.close();
  });

  test('without script, the page names the alternatives', async () => {
    const { page, context } = await open('/contribute', { javaScriptEnabled: false });
    expect(await page.getByRole('link', { name: 'template' }).getAttribute('href')).toBe('/data/template.xlsx');
    expect(await page.getByRole('link', { name: /POST \/data\/submit/ }).isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    await context.close();
  });
});
