import { expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import type { Locator, Page } from 'playwright-core';
import exceljs from 'exceljs';
import { inBrowser, overflow, violations } from '../browser.ts';
import { registerAccount } from '../support/accounts.ts';
import { apiAt } from '../support/api.ts';
import { eventually } from '@esd/testing/eventually';

const { url, dataDir } = await sharedStack();

const HEADINGS = [
  'No.',
  'Polymer',
  'Solvent',
  'Conc. (wt%)',
  'Applied voltage (kV)',
  'Feed rate (mL/h)',
  'Mean diameter (nm)',
];

const row = (at: number, voltage = '15', feed = '0.5', polymer = 'PAN'): string =>
  [at, polymer, 'DMF', '10', voltage, feed, 300 + at].join(',');

/** Returns a text file with twelve rows, of which some are replaced. */
function fileOf(replaced: Readonly<Record<number, string>> = {}, name = 'runs.csv') {
  const rows = Array.from({ length: 12 }, (_, at) => replaced[at + 1] ?? row(at + 1));
  return { name, mimeType: 'text/csv', buffer: Buffer.from([HEADINGS.join(','), ...rows].join('\n')) };
}

/** Runs in the page: returns the chosen readings in the stored draft. */
const ACCEPTED = `new Promise((resolve) => {
  const opening = indexedDB.open('esd-contribute');
  opening.onsuccess = () => {
    const database = opening.result;
    const reading = database.transaction('drafts').objectStore('drafts').getAll();
    reading.onsuccess = () => {
      database.close();
      resolve([...(reading.result[0]?.sheet?.accepted.values() ?? [])].map(({ choice }) => choice).join());
    };
  };
})`;

/** Counts the clicks of a journey. */
function clicker(page: Page) {
  let clicks = 0;
  const click = async (target: Locator): Promise<void> => {
    clicks += 1;
    await target.click();
  };
  return {
    click,
    clicks: () => clicks,
    upload: async (file: ReturnType<typeof fileOf>): Promise<void> => {
      const chooser = page.waitForEvent('filechooser');
      await click(page.getByLabel('Upload a sheet'));
      await (await chooser).setFiles(file);
    },
    sender: async (): Promise<void> => {
      for (const [label, text] of [
        ['Your name', 'Ada Example'],
        ['Your email address', 'ada@example.org'],
      ] as const) {
        await click(page.getByLabel(label));
        await page.keyboard.type(text);
      }
      await click(page.getByLabel('I have the right to share these data'));
    },
  };
}

const chip = (page: Page, name: RegExp) => page.getByRole('list', { name: 'Headings' }).getByRole('button', { name });
const repair = (page: Page, name: string) => page.getByRole('list', { name: 'Repairs' }).getByRole('group', { name });
const counts = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

async function paste(page: Page, text: string): Promise<void> {
  await page.getByLabel('Paste cells', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Read the cells' }).click();
}

inBrowser(url, '/contribute with a sheet', (open) => {
  test('twelve clean rows are sent with at most 6 clicks', async () => {
    const { page, context, problems } = await open('/contribute');
    const { click, upload, sender, clicks } = clicker(page);
    await click(page.getByRole('button', { name: 'Sheet' }));
    await page
      .getByText('A workbook (.xlsx) requires an account; text files (.csv, .tsv) and pasted cells do not.')
      .waitFor();
    await upload(fileOf());
    await counts(page, '12 rows: 12 ready, 0 with errors, 0 left out.');
    await chip(page, /^No\. → left out$/).waitFor();
    await chip(page, /^Feed rate \(mL\/h\) → Flow rate, mL\/h ✓$/).waitFor();
    await sender();
    await click(page.getByRole('button', { name: 'Send 12 rows' }));
    await page.getByText(/Sent\. Submission \d+, 12 records\./).waitFor();
    expect(clicks()).toBeLessThanOrEqual(6);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('twelve rows with two ranges and a typing error are sent with at most 10 clicks', async () => {
    const { page, context, problems } = await open('/contribute');
    const { click, upload, sender, clicks } = clicker(page);
    await click(page.getByRole('button', { name: 'Sheet' }));
    await upload(fileOf({ 2: row(2, '10–12'), 5: row(5, '15', '0.4 - 0.6'), 9: row(9, '15', '0.5', 'PANN') }));
    await counts(page, '12 rows: 9 ready, 3 with errors, 0 left out.');
    await click(repair(page, 'Voltage').getByRole('button', { name: 'middle' }));
    await counts(page, '12 rows: 10 ready, 2 with errors, 0 left out.');
    await click(repair(page, 'Flow rate').getByRole('button', { name: 'low' }));
    await click(page.getByRole('button', { name: 'PAN', exact: true }));
    await repair(page, 'Polymer, PANN').getByText('read “PANN” as PAN in 1 cell.').waitFor();
    await counts(page, '12 rows: 12 ready, 0 with errors, 0 left out.');
    await sender();
    await click(page.getByRole('button', { name: 'Send 12 rows' }));
    await page.getByText(/Sent\. Submission \d+, 12 records\./).waitFor();
    expect(clicks()).toBeLessThanOrEqual(10);
    expect(problems).toEqual([]);
    await context.close();
  });

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)(
    'in %s at %d px, headings, repairs, notes, and left-out rows work by keyboard',
    async (colorScheme, width) => {
      const { page, context, problems } = await open('/contribute', { colorScheme, viewport: { width, height: 900 } });
      await page.getByRole('button', { name: 'Sheet' }).press('Enter');
      const sheet = [
        'Polymer\tSolvent\td (mm)\tVoltage (kV)\tRemark',
        'PAN\tDMF\t0.4\t10–12\tfirst',
        'PAN\tDMF\t0.4\t~15\tx',
        'PAN\tDMF\t0.6\t8-9\ty',
        'mean\t\t\t15\t',
      ].join('\n');
      await paste(page, sheet);
      await counts(page, '4 rows: 1 ready, 2 with errors, 1 left out.');
      const send = page.getByRole('button', { name: 'Send 3 rows' });
      expect(await send.getAttribute('aria-disabled')).toBe('true');
      await page.getByText('Choose a field for 1 heading, or leave it out.').waitFor();
      expect(await page.getByRole('button', { name: /ready row/ }).count()).toBe(0);
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);

      const asked = chip(page, /^d \(mm\) → choose: .*Leave out$/);
      await asked.press('Enter');
      const fields = page.getByRole('listbox', { name: 'Field for d (mm)' });
      await fields.and(page.locator(':focus')).waitFor();
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
      await page.keyboard.press('End');
      await page.keyboard.press('Escape');
      await asked.and(page.locator(':focus')).waitFor();
      await asked.press('Enter');
      await fields.waitFor();
      await page.keyboard.type('needle s');
      await page.keyboard.press('Enter');
      await chip(page, /^d \(mm\) → Needle size, mm ✓$/)
        .and(page.locator(':focus'))
        .waitFor();

      const voltage = repair(page, 'Voltage');
      await voltage.getByText('2 ranges (10–12). Use:').waitFor();
      await voltage.getByRole('button', { name: 'high' }).press('Enter');
      await page.getByText('2 cells changed: read with “high”.').waitFor();
      await voltage.getByRole('button', { name: 'high', pressed: true }).and(page.locator(':focus')).waitFor();
      await counts(page, '4 rows: 3 ready, 0 with errors, 1 left out.');
      await voltage.getByRole('button', { name: 'Undo' }).press('Enter');
      await counts(page, '4 rows: 1 ready, 2 with errors, 1 left out.');
      await voltage.getByRole('button', { name: 'high', pressed: false }).and(page.locator(':focus')).waitFor();
      await voltage.getByRole('button', { name: 'low' }).press('Space');
      await counts(page, '4 rows: 3 ready, 0 with errors, 1 left out.');

      await page.getByText('Read ~15 as 15 kV in 1 cell.').click();
      await page.getByText('Row 3, Voltage: ~15 → 15 kV').waitFor();
      await page.getByText('1 row left out', { exact: true }).click();
      const whole = page.getByRole('listitem').filter({ hasText: 'Row 5 (mean, 15): is a statistic of other rows.' });
      await whole.getByRole('button', { name: 'Read this row' }).press('Enter');
      await counts(page, '4 rows: 3 ready, 1 with errors, 0 left out.');
      await page.getByRole('button', { name: 'Leave this row out' }).and(page.locator(':focus')).press('Enter');
      await counts(page, '4 rows: 3 ready, 0 with errors, 1 left out.');
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);

      // The grid is one tab stop; Enter on a heading opens its chip.
      const stops = `document.querySelectorAll('[role="grid"] [tabindex="0"]').length`;
      expect(await page.evaluate(stops)).toBe(1);
      await page.locator('#cell-0-0').focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.getByRole('listbox', { name: 'Field for Polymer' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');

      // A screen reader moves the focus without a key; Enter then edits the cell that has it.
      await page.locator('#cell-1-4').focus();
      await page.keyboard.press('F2');
      await page.locator('#cell-1-4 input:focus').waitFor();
      await page.keyboard.press('Escape');

      // The list of the last heading stays within the window.
      await chip(page, /^Remark/).click();
      await page.getByRole('listbox', { name: 'Field for Remark' }).waitFor();
      expect(await overflow(page)).toBe(0);
      await chip(page, /^Remark/).click();
      await page.getByRole('listbox').waitFor({ state: 'detached' });

      // The next sheet has the same headings.
      await page.getByRole('button', { name: 'Paste cells' }).click();
      await paste(page, sheet);
      await chip(page, /^d \(mm\) → Needle size, mm ✓ as last time$/).waitFor();
      expect(await send.getAttribute('aria-disabled')).toBe('true');

      // The draft has the choices.
      await voltage.getByRole('button', { name: 'high' }).click();
      await counts(page, '4 rows: 3 ready, 0 with errors, 1 left out.');
      await eventually(
        () => page.evaluate(ACCEPTED),
        (accepted) => accepted === 'high',
      );
      page.on('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText(/Your draft from .* is restored\./).waitFor();
      await counts(page, '4 rows: 3 ready, 0 with errors, 1 left out.');
      await voltage.getByRole('button', { name: 'high', pressed: true }).waitFor();
      await chip(page, /^d \(mm\) → Needle size, mm ✓ as last time$/).waitFor();
      expect(problems).toEqual([]);
      await context.close();
    },
  );

  test('a column whose unit is unclear asks for it, and an assumed unit is shown', async () => {
    const { page, context, problems } = await open('/contribute');
    await page.getByRole('button', { name: 'Sheet' }).click();
    await paste(page, 'Polymer\tSolvent\tFiber diameter\tFlow (drops/min)\tVoltage\nPVA\tWater\t0.45\t12\t15');
    await page.getByText('Choose a field or unit for 2 headings, or leave them out.').waitFor();
    await chip(page, /^Voltage → Voltage, kV \(assumed\) ✓$/).waitFor();
    await chip(
      page,
      /^Flow \(drops\/min\) → choose the unit of Flow rate: mL\/h · .*"drops\/min" is unknown\)$/,
    ).waitFor();
    const diameter = chip(page, /^Fiber diameter → choose the unit of .*: nm · .* \(the values are unusual in nm\)$/);
    await diameter.press('Enter');
    await page.getByRole('listbox', { name: 'Unit or field for Fiber diameter' }).waitFor();
    // The unit after cm.
    await page.keyboard.press('c');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await chip(page, /^Fiber diameter → .*, µm ✓$/)
      .and(page.locator(':focus'))
      .waitFor();
    await chip(page, /^Flow/).click();
    await page.getByRole('option', { name: 'mL/h' }).click();
    await chip(page, /^Flow \(drops\/min\) → Flow rate, mL\/h ✓$/).waitFor();
    // Another unit can replace the assumed one.
    await chip(page, /^Voltage/).click();
    await page.getByRole('option', { name: 'V', exact: true }).click();
    await chip(page, /^Voltage → Voltage, V ✓$/).waitFor();
    expect(await page.getByRole('button', { name: 'Send 1 row' }).getAttribute('aria-disabled')).toBe('false');
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)(
    'in %s at %d px, the heading row, columns, rows, and tables are chosen by keyboard',
    async (colorScheme, width) => {
      const { page, context, problems } = await open('/contribute', { colorScheme, viewport: { width, height: 900 } });
      await page.getByRole('button', { name: 'Sheet' }).press('Enter');
      await paste(
        page,
        [
          ...['Runs of May', 'material\tkilovolts\t', 'PAN\t~15\t300', 'PAN\thigh\t310'],
          ...['', 'Polymer\tDistance (cm)\tVoltage (kV)', 'PAN\t12\t20'],
        ].join('\n'),
      );
      // The second table has headings, so the first rows are its title until the user chooses.
      await counts(page, '1 row: 1 ready, 0 with errors, 0 left out.');
      await page.getByText('Headings from row 6.').press('Enter');
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
      await page.getByRole('button', { name: 'Row 2 has the headings' }).press('Enter');
      await page.getByRole('button', { name: 'Row 2 has the headings', pressed: true }).waitFor();
      await counts(page, '2 rows: 2 ready, 0 with errors, 0 left out.');
      for (const [name, typed] of [
        [/^kilovolts → choose/, 'volt'],
        [/^\(no heading, column C\) → choose/, 'fiber diameter'],
      ] as const) {
        await chip(page, name).press('Enter');
        await page.getByRole('listbox').and(page.locator(':focus')).waitFor();
        await page.keyboard.type(typed);
        await page.keyboard.press('Enter');
      }
      await chip(page, /^\(no heading, column C\) → Fiber diameter, nm \(assumed\) ✓$/).waitFor();
      await counts(page, '2 rows: 1 ready, 1 with errors, 0 left out.');
      // The reading of a cell is below its text.
      await page.locator('#cell-0-1').getByText('→ 15', { exact: true }).waitFor();
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);

      // The number of a row is a cell of the grid; Enter leaves the row out.
      await page.locator('#cell-1-0').focus();
      await page.keyboard.press('ArrowLeft');
      await page.getByRole('button', { name: 'Leave out row 4' }).and(page.locator(':focus')).press('Enter');
      await counts(page, '2 rows: 1 ready, 0 with errors, 1 left out.');
      await page.getByRole('button', { name: 'Read row 4' }).and(page.locator(':focus')).press('Space');
      await counts(page, '2 rows: 1 ready, 1 with errors, 0 left out.');
      await page.keyboard.press('Space');
      await counts(page, '2 rows: 1 ready, 0 with errors, 1 left out.');
      await page.getByText('1 row left out', { exact: true }).click();
      await page.getByText('is left out because you chose it').waitFor();
      const stops = `document.querySelectorAll('[role="grid"] [tabindex="0"]').length`;
      expect(await page.evaluate(stops)).toBe(1);

      const tables = page.getByRole('group', { name: 'Tables' });
      await tables.getByRole('button', { name: 'From row 2, 2 rows', pressed: true }).waitFor();
      await tables.getByRole('button', { name: 'From row 6, 1 row' }).press('Enter');
      await chip(page, /^Distance \(cm\) → Distance, cm ✓$/).waitFor();
      await tables.getByRole('button', { name: 'From row 2, 2 rows' }).press('Enter');
      // The browser stores the choice for a heading, but not for a column without one.
      await chip(page, /^kilovolts → Voltage, kV \(assumed\) ✓ as last time$/).waitFor();
      await chip(page, /^\(no heading, column C\) → choose/).press('Enter');
      await page.keyboard.type('leave');
      await page.keyboard.press('Enter');
      await counts(page, '2 rows: 1 ready, 0 with errors, 1 left out.');
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
      await clicker(page).sender();
      await page.getByRole('button', { name: 'Send 1 row' }).press('Enter');
      await page.getByText(/Sent\. Submission \d+, 1 record\./).waitFor();
      await chip(page, /^Distance \(cm\) → Distance, cm ✓$/).waitFor();
      await counts(page, '1 row: 1 ready, 0 with errors, 0 left out.');
      expect(await tables.count()).toBe(0);
      expect(problems).toEqual([]);
      await context.close();
    },
  );

  test('a sheet without headings asks for its heading row', async () => {
    const { page, context, problems } = await open('/contribute', { viewport: { width: 375, height: 800 } });
    await page.getByRole('button', { name: 'Sheet' }).click();
    await paste(page, 'Our runs\na\tb\nPAN\t15');
    await page.getByRole('alert').getByText('No row or column has two headings that name fields.').waitFor();
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    // The draft has the sheet.
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByText(/Draft saved on this device/).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Row 2 has the headings' }).press('Enter');
    await page.getByRole('heading', { name: 'Sheet: pasted cells' }).and(page.locator(':focus')).waitFor();
    await chip(page, /^a → choose: Polymer · Leave out$/).waitFor();
    await page.getByText('Choose a field for 2 headings, or leave them out.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a name replaces a text in all cells of its column, and can be undone', async () => {
    const { page, context, problems } = await open('/contribute');
    await page.getByRole('button', { name: 'Sheet' }).click();
    await paste(
      page,
      'Polymer\tSolvent\tVoltage (kV)\nPANN\tDMF\t15\nPAN\tWatr/DMF 3:1\t16\nPANN\tDMF\t17\nPVA\tWater\t18',
    );
    await counts(page, '4 rows: 1 ready, 3 with errors, 0 left out.');
    const first = page.getByRole('listitem').filter({ hasText: 'Row 2, Polymer' });
    await first.getByText(/in 2 cells$/).waitFor();
    const name = first.getByRole('button', { name: 'PAN', exact: true });
    await name.press('Enter');
    await page.getByText('2 cells changed: read “PANN” as PAN.').waitFor();
    await counts(page, '4 rows: 3 ready, 1 with errors, 0 left out.');
    // The next problem gets the focus.
    const solvent = page.getByRole('listitem').filter({ hasText: 'Row 3, Solvent' });
    await solvent.locator('button:focus').waitFor();
    await solvent.getByRole('button', { name: 'WATER', exact: true }).press('Enter');
    await counts(page, '4 rows: 4 ready, 0 with errors, 0 left out.');
    // The other solvent and the shares remain.
    await page.getByRole('gridcell', { name: 'WATER/DMF 3:1' }).waitFor();
    // The last problem is solved; its undo gets the focus.
    await repair(page, 'Solvent, Watr/DMF 3:1')
      .getByRole('button', { name: 'Undo' })
      .and(page.locator(':focus'))
      .waitFor();
    await repair(page, 'Polymer, PANN').getByRole('button', { name: 'Undo' }).press('Enter');
    await counts(page, '4 rows: 2 ready, 2 with errors, 0 left out.');
    await name.and(page.locator(':focus')).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('a workbook is read with its numbers, its titles, and its merged cells', async () => {
    const workbook = new exceljs.Workbook();
    workbook.addWorksheet('About').addRow(['Results of 2024']);
    workbook.addWorksheet('Old runs').addRows([
      ['Polymer', 'Solvent', 'Voltage (kV)'],
      ['PVA', 'Water', 18],
    ]);
    const runs = workbook.addWorksheet('Runs');
    runs.addRows([
      ['Our experiments'],
      ['Polymer', 'Solvent', 'Voltage (kV)', 'Flow rate (mL/h)'],
      ['PAN', 'DMF', 12.345, '0,5'],
      [null, 'DMF', 15, '1,25'],
    ]);
    runs.mergeCells('A3:A4');
    const formats = workbook.addWorksheet('Formats');
    formats.addRows([
      ['Polymer', 'Solvent', 'Voltage (kV)', 'Humidity (%)', 'Distance (cm)'],
      ['PAN', 'DMF', { richText: [{ text: '18 ' }, { text: '20', font: { strike: true } }] }, 0.45, 15],
      ['PAN', 'DMF', 15, 0.5, 15],
    ]);
    formats.getColumn('D').numFmt = '0%';
    formats.getColumn('E').hidden = true;
    formats.getRow(3).hidden = true;
    formats.getCell('B2').note = 'distilled twice';
    workbook.addWorksheet('Hidden', { state: 'hidden' });
    const buffer = Buffer.from(await workbook.xlsx.writeBuffer());
    const { page, context, problems } = await open('/contribute');
    await page.getByRole('button', { name: 'Sheet' }).click();
    const file = { name: 'runs.xlsx', mimeType: 'application/octet-stream', buffer };
    await page.getByLabel('Upload a sheet').setInputFiles(file);
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    const who = await registerAccount(apiAt(url), dataDir, 'sheets');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(who.email);
    await dialog.getByLabel('Password').fill(who.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The refused workbook is read now.
    // The first sheet with headings is read; another one can be chosen.
    await page.getByRole('heading', { name: 'Sheet: runs.xlsx, Old runs' }).waitFor();
    await counts(page, '1 row: 1 ready, 0 with errors, 0 left out.');
    expect(await page.getByText('A workbook (.xlsx) requires an account').count()).toBe(0);
    const sheets = page.getByLabel('Sheet of runs.xlsx');
    expect(await sheets.getByRole('option').allTextContents()).toEqual(['About', 'Old runs', 'Runs', 'Formats']);
    const choose = async (name: string): Promise<void> => {
      await sheets.selectOption(name);
      await page.getByRole('button', { name: 'Read this sheet' }).press('Enter');
    };
    await choose('About');
    await page.getByRole('alert').getByText('No row or column has two headings that name fields.').waitFor();
    await choose('Old runs');
    await page.locator('#cell-0-2').dblclick();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('9');
    await page.keyboard.press('Enter');
    await choose('Runs');
    await page.getByRole('heading', { name: 'Sheet: runs.xlsx, Runs' }).and(page.locator(':focus')).waitFor();
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    // A correction stays when another sheet was read.
    await choose('Old runs');
    await page.getByRole('gridcell', { name: '19' }).waitFor();
    await choose('Runs');
    await counts(page, '2 rows: 2 ready, 0 with errors, 0 left out.');
    await page.getByText('Read 0,5 as 0.5 mL/h in 2 cells.').waitFor();
    await page.getByText(/Read PAN as PAN in \d cells?\. The cells are merged\./).waitFor();
    // The formatting of a sheet is a part of its cells.
    await choose('Formats');
    await counts(page, '2 rows: 0 ready, 1 with errors, 1 left out.');
    await page.getByRole('gridcell', { name: '45%' }).waitFor();
    await chip(page, /^Distance \(cm\) → left out \(hidden in the file\)$/).waitFor();
    await page.getByText('Read 45% as 45 % in 1 cell.').waitFor();
    await page.getByText('1 cell with a comment.').click();
    await page.getByText('Row 2, Solvent: distilled twice').waitFor();
    await page.getByText('1 row left out', { exact: true }).click();
    await page.getByText('Row 3 (PAN, DMF, 15, …): is hidden in the file.').waitFor();
    const struck = repair(page, 'Voltage');
    await struck.getByText('1 struck text (18 2\u03360\u0336). Use:').waitFor();
    await struck.getByRole('button', { name: 'without the struck part' }).click();
    await counts(page, '2 rows: 1 ready, 0 with errors, 1 left out.');
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    await choose('Runs');
    await page.getByRole('button', { name: 'Send 2 rows' }).click();
    await page.getByText(/Sent\. Submission \d+, 2 records\./).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('pasted cells keep superscripts and struck text', async () => {
    const { page, context, problems } = await open('/contribute');
    await page.getByRole('button', { name: 'Sheet' }).click();
    const pasteHtml = async (html: string, plain: string, focused: string): Promise<void> => {
      await page.locator(focused).waitFor();
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.setData('text/html', ${JSON.stringify(html)});
        data.setData('text/plain', ${JSON.stringify(plain)});
        const target = document.querySelector(${JSON.stringify(focused)});
        target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      })()`);
    };
    // A single cell goes into the field.
    await pasteHtml('<table><tr><td>10<sup>3</sup></td></tr></table>', '103', '#cells');
    expect(await page.getByLabel('Paste cells', { exact: true }).inputValue()).toBe('10³');
    // As Excel, LibreOffice, and Google Sheets write cells.
    const html = `<html><head><style><!-- .xl65 {color:black; text-decoration:line-through;}
      .font5 {font-weight:400; text-decoration:none;} --></style></head><body><table>
      <tr><td>Polymer</td><td>Solvent</td><td>Voltage<font class="font5"><sup>a</sup></font>
        (kV)</td><td>Viscosity (Pa s)</td></tr>
      <tr><td rowspan=2>PAN</td><td>DMF</td><td class=xl65>15<font class="font5">&nbsp;16</font></td><td>1.5×10<sup>3</sup></td></tr>
      <tr><td>DMF</td><td><s>17</s></td><td>"2"</td></tr>
      <tr><td>PAN</td><td>DMF</td><td style="text-decoration: line-through;">18</td><td>10<span style="vertical-align:super">2</span></td></tr>
      </table></body></html>`;
    await pasteHtml(html, 'Polymer\tVoltagea (kV)', '#cells');
    await page
      .getByText(/Read Voltageᵃ \(kV\) as Voltage \(kV\) in 1 cell\. The footnote mark is left out\./)
      .waitFor();
    await page.getByText('Read 1.5×10³ as 1500 Pa·s in 1 cell.').waitFor();
    await repair(page, 'Voltage').getByText('3 struck texts (1\u03365\u0336 16). Use:').waitFor();
    await repair(page, 'Viscosity').getByText('1 superscript after 10 (10²). Use:').waitFor();
    await page.getByRole('gridcell', { name: '"2"' }).waitFor();
    // The grid takes them too.
    await page.locator('#cell-2-3').focus();
    await pasteHtml('<b>2·10<sup>3</sup></b>', '2·103', '#cell-2-3');
    await page.getByRole('gridcell', { name: '2·10³' }).waitFor();
    await page.keyboard.press('F2');
    await page.locator('#cell-2-3 input:focus').fill('');
    await pasteHtml('<b>3·10<sup>3</sup></b>', '3·103', '#cell-2-3 input');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: '3·10³' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
