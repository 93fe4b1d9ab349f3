import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { references } from '../../../../libs/record/test/seed-lists.ts';
import { Contribution } from '../../src/contribute/contribution.ts';
import type { Draft } from '../../src/contribute/draft.ts';
import { deleteDraft, readDrafts, writeDraft } from '../../src/contribute/draft-store.ts';
import { IMAGES, POLYMERS, SOLVENTS } from '../../src/contribute/form-fields.ts';
import type { ReferenceData } from '../../src/contribute/reference-data.ts';
import { checkSheet } from '../../src/contribute/check-sheet.ts';
import { openSheet, readPasted } from '../../src/contribute/open-sheet.ts';
import { type Sheet, withTexts } from '../../src/contribute/sheet.ts';
import { fakeFetch, until } from '../fake-fetch.ts';

// Without locks, as over plain HTTP: each test may open the same draft.
Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
Object.assign(globalThis, { BroadcastChannel: EventTarget });

const calls = fakeFetch();
const ranges = new Map([['=PVA', { voltage: { count: 141, min: 5, max: 50 } }]]);
const referenceData: ReferenceData = { references, ranges, counts: {} };
const POLYMER = `${POLYMERS}[0].polymerName`;
const SOLVENT = `${SOLVENTS}[0].solventName`;
const VOLTAGE = 'processParameter.voltage';
const DISTANCE = 'processParameter.tipCollectorDistance';
const sender = { name: 'Ada', email: 'ada@example.org', consents: true };

beforeEach(async () => {
  calls.length = 0;
  for (const name of (await readDrafts()).keys()) await deleteDraft(name);
});

const draftOf = async (name: string): Promise<Draft | undefined> => (await readDrafts()).get(name);

/** Creates a form that can be sent, with one experiment for each argument. */
function form(...experiments: readonly Readonly<Record<string, string>>[]): Contribution {
  const desk = new Contribution('/esd');
  desk.referenceData.value = referenceData;
  desk.sender.value = sender;
  desk.experiments.value = experiments.map((values) => ({ values: { [POLYMER]: 'PVA', ...values }, images: [] }));
  return desk;
}
const textsAt = (desk: Contribution, record: number, path: string): string[] =>
  desk.shown(record, path).errors.map(({ text }) => text);
const valuesOf = (desk: Contribution) => desk.experiments.value.map(({ values }) => values);
const stored = (...records: readonly object[]) => ({
  submissionId: 7,
  records: records.map((record, at) => ({
    recordId: at + 1,
    status: 'PENDING',
    missingFields: [],
    warnings: [],
    ...record,
  })),
});

describe('errors of a field', () => {
  test('are shown once the field has lost the focus', async () => {
    const desk = form({ [VOLTAGE]: '12,5', [DISTANCE]: 'x' });
    expect(textsAt(desk, 0, VOLTAGE)).toEqual([]);
    desk.leave(0, VOLTAGE);
    await desk.loadReader();
    expect(textsAt(desk, 0, VOLTAGE)).toEqual(['Choose how “12,5” is read']);
    expect(textsAt(desk, 0, DISTANCE)).toEqual([]);
  });

  test('are all shown after the first attempt to send', () => {
    const desk = form({ [VOLTAGE]: '12,5', [DISTANCE]: 'x' });
    expect(desk.isReady()).toBe(false);
    expect([textsAt(desk, 0, VOLTAGE).length, textsAt(desk, 0, DISTANCE).length]).toEqual([1, 1]);
  });

  test('are shown at their own experiment', () => {
    const desk = form({ [VOLTAGE]: '15' }, { [VOLTAGE]: 'x' });
    desk.isReady();
    expect([textsAt(desk, 0, VOLTAGE).length, textsAt(desk, 1, VOLTAGE).length]).toEqual([0, 1]);
    expect(desk.errorsOfForm().map(({ record, finding }) => [record, finding.path])).toEqual([[1, VOLTAGE]]);
  });

  test('change as the user types', () => {
    const desk = form({ [VOLTAGE]: 'x' });
    desk.isReady();
    desk.type(0, VOLTAGE, '15');
    expect(textsAt(desk, 0, VOLTAGE)).toEqual([]);
    desk.type(0, VOLTAGE, '10-15');
    expect(textsAt(desk, 0, VOLTAGE)).toEqual(['Enter a number such as 12.5']);
  });

  test('hide the warnings of the field', () => {
    const desk = form({ [VOLTAGE]: '65' });
    desk.leave(0, VOLTAGE);
    expect(desk.shown(0, VOLTAGE).warnings.length).toBe(1);
    desk.refused.value = [{ record: 0, finding: { path: VOLTAGE, label: '', text: 'No.' } }];
    expect(desk.shown(0, VOLTAGE)).toMatchObject({ errors: [{ text: 'No.' }], warnings: [] });
  });

  test('of images are shown at the images', () => {
    const desk = form({});
    desk.showsAll.value = true;
    desk.refused.value = [{ record: 0, finding: { path: `${IMAGES}[1].imageId`, label: '', text: 'No.' } }];
    expect(textsAt(desk, 0, IMAGES)).toEqual(['No.']);
  });
});

describe('the form', () => {
  test('can be sent with a polymer and a sender', () => {
    expect(form({ [VOLTAGE]: '15' }).isReady()).toBe(true);
  });

  test('cannot be sent without a sender, whose errors belong to no experiment', () => {
    const desk = form({});
    desk.sender.value = { name: '', email: 'ada@example.org', consents: false };
    expect(desk.isReady()).toBe(false);
    expect(desk.errorsOfForm().map(({ record, finding }) => [record, finding.path])).toEqual([
      [undefined, 'userMetadata.name'],
      [undefined, 'userMetadata.consentTerms'],
    ]);
  });

  test('cannot be sent before the reference lists are loaded', () => {
    const desk = form({});
    desk.referenceData.value = undefined;
    expect(desk.isReady()).toBe(false);
    expect(desk.problem.value).toMatch(/^The reference lists are still loading/);
  });

  test('drops empty experiments and empty lines before it is sent', () => {
    const desk = form({ [`${SOLVENTS}[1].solventName`]: 'DMF' });
    desk.addExperiment(false);
    expect(desk.current.value).toBe(1);
    expect(desk.isReady()).toBe(true);
    expect(valuesOf(desk)).toEqual([{ [POLYMER]: 'PVA', [`${SOLVENTS}[0].solventName`]: 'DMF' }]);
    expect(desk.current.value).toBe(0);
  });

  test('lists its errors in the order of the page', () => {
    const share = `${SOLVENTS}[0].volumeRatio`;
    const desk = form(
      { [POLYMER]: '', 'fiberProperty.fiberDiameter': 'x', [VOLTAGE]: 'x', [share]: 'x' },
      { [POLYMER]: 'Nope', 'mechanicalProperty.modulus': 'x' },
    );
    desk.sender.value = { name: '', email: 'ada', consents: false };
    desk.isReady();
    desk.refused.value = [
      { record: undefined, finding: { path: 'researchMetadata.doi', label: '', text: 'No.' } },
      { record: 0, finding: { path: 'processParameter.flowRateUnit', label: '', text: 'No.' } },
      { record: 0, finding: { path: `${IMAGES}[0].imageId`, label: '', text: 'No.' } },
    ];
    expect(desk.errorsOfForm().map(({ record, finding }) => [record, finding.path])).toEqual([
      [undefined, 'researchMetadata.doi'],
      [0, POLYMER],
      [0, `${SOLVENTS}[0].solventName`],
      [0, share],
      [0, VOLTAGE],
      [0, 'processParameter.flowRateUnit'],
      [0, 'fiberProperty.fiberDiameter'],
      [0, `${IMAGES}[0].imageId`],
      [1, POLYMER],
      [1, 'mechanicalProperty.modulus'],
      [undefined, 'userMetadata.name'],
      [undefined, 'userMetadata.email'],
      [undefined, 'userMetadata.consentTerms'],
    ]);
  });

  test('without any input stays one empty experiment with an error', () => {
    const desk = form();
    expect(desk.isReady()).toBe(false);
    expect([valuesOf(desk), textsAt(desk, 0, POLYMER)]).toEqual([[{}], ['Name the polymer']]);
  });
});

describe('an experiment', () => {
  test('is added empty at the end, and shown', () => {
    const desk = form({}, {});
    desk.addExperiment(false);
    expect([valuesOf(desk).at(-1), desk.current.value]).toEqual([{}, 2]);
  });

  test('is copied from the current one without its results', () => {
    const desk = form({ [VOLTAGE]: '15', 'fiberProperty.fiberDiameter': '200' }, { [VOLTAGE]: '20' });
    desk.addExperiment(true);
    expect([valuesOf(desk).at(-1), desk.current.value]).toEqual([{ [POLYMER]: 'PVA', [VOLTAGE]: '15' }, 2]);
  });

  test('takes the settings of the one before it', () => {
    const desk = form({ [VOLTAGE]: '15' }, { [VOLTAGE]: '20' });
    desk.current.value = 1;
    desk.copyBefore();
    expect(valuesOf(desk).map((values) => values[VOLTAGE])).toEqual(['15', '15']);
  });

  test('is removed, and the next one is shown, or else the one before it', () => {
    const desk = form({ [VOLTAGE]: '1' }, { [VOLTAGE]: '2' }, { [VOLTAGE]: '3' });
    desk.current.value = 1;
    desk.removeExperiment();
    expect([valuesOf(desk).map((values) => values[VOLTAGE]), desk.current.value]).toEqual([['1', '3'], 1]);
    desk.removeExperiment();
    expect([valuesOf(desk).map((values) => values[VOLTAGE]), desk.current.value]).toEqual([['1'], 0]);
  });

  test('that is removed leaves no errors at the experiment that gets its index', () => {
    const desk = form({ [VOLTAGE]: '1' }, { [VOLTAGE]: 'x' });
    desk.leave(0, VOLTAGE);
    desk.refused.value = [{ record: 0, finding: { path: VOLTAGE, label: '', text: 'No.' } }];
    desk.removeExperiment();
    expect(textsAt(desk, 0, VOLTAGE)).toEqual([]);
    desk.leave(0, VOLTAGE);
    expect(textsAt(desk, 0, VOLTAGE)).toEqual(['Enter a number such as 12.5']);
  });

  test('changes as the user types, and the other experiments stay the same', () => {
    const desk = form({ [VOLTAGE]: '1' }, { [VOLTAGE]: '2' });
    const [, other] = desk.experiments.value;
    desk.type(0, VOLTAGE, '3');
    expect(valuesOf(desk)[0]?.[VOLTAGE]).toBe('3');
    expect(desk.experiments.value[1]).toBe(other);
  });
});

test.each([
  ['DMF/acetone', {}, ['DMF', 'ACETONE']],
  ['dist. water and AC', {}, ['DISTILLED_WATER', 'AC']],
  // The names would replace another.
  ['DMF/acetone', { [`${SOLVENTS}[1].solventName`]: 'THF' }, ['DMF/acetone', 'THF']],
  ['DMF/unobtainium', {}, ['DMF/unobtainium']],
])('the solvents %j, before %j, become the lines %j', async (text, others, lines) => {
  const desk = form({ [SOLVENT]: text, ...others });
  await desk.splitBlend(0, SOLVENT, 'solvent');
  const expected = lines.map((name, at) => [`${SOLVENTS}[${at}].solventName`, name] as const);
  expect(valuesOf(desk)).toEqual([{ [POLYMER]: 'PVA', ...Object.fromEntries(expected) }]);
});

describe('a submission', () => {
  test('has the sender, the paper, and the experiments, and clears the form', async () => {
    const desk = form({ [VOLTAGE]: '15' });
    desk.paper.value = { doi: '10.1/a', publicationTitle: '' };
    const sending = desk.sendForm(false);
    await until(() => calls.length === 1);
    expect(desk.isBusy.value).toBe(true);
    expect(calls[0]).toMatchObject({
      method: 'POST',
      address: '/esd/data/submit',
      json: {
        userMetadata: { name: 'Ada', email: 'ada@example.org', consentTerms: true },
        researchMetadata: { doi: '10.1/a' },
        experimentData: [{ processParameter: { voltage: 15 } }],
      },
    });
    calls[0]?.answer(stored({}));
    await sending;
    expect(desk.outcome.value).toMatchObject({ submissionId: 7, isCheck: false, records: [{ recordId: 1 }] });
    expect([valuesOf(desk), desk.paper.value.doi, desk.isBusy.value]).toEqual([[{}], '', false]);
    expect(desk.sender.value).toEqual(sender);
  });

  test('that is only checked does not clear the form and has no key', async () => {
    const desk = form({ [VOLTAGE]: '15' });
    const sending = desk.sendForm(true);
    await until(() => calls.length === 1);
    expect(calls[0]?.address).toBe('/esd/data/submit?validate=only');
    expect(calls[0]?.headers.has('Idempotency-Key')).toBe(false);
    calls[0]?.answer({ valid: true, records: [] });
    await sending;
    expect([desk.outcome.value?.isCheck, valuesOf(desk)[0]?.[VOLTAGE]]).toEqual([true, '15']);
  });

  test('is not sent twice at the same time', async () => {
    const desk = form({});
    const sending = desk.sendForm(false);
    await desk.sendForm(false);
    await until(() => calls.length === 1);
    calls[0]?.answer(stored({}));
    await sending;
    expect(calls.length).toBe(1);
  });

  test('that is refused shows each error at its field', async () => {
    const desk = form({ [VOLTAGE]: '15' }, {});
    desk.isReady();
    const sending = desk.sendForm(false);
    await until(() => calls.length === 1);
    calls[0]?.answer(
      {
        errors: [
          { path: `experimentData[1].${VOLTAGE}`, message: '`voltage` is too high.' },
          { path: 'userMetadata.email', message: 'This address is blocked.' },
        ],
      },
      400,
    );
    await sending;
    expect([textsAt(desk, 0, VOLTAGE), textsAt(desk, 1, VOLTAGE)]).toEqual([[], ['voltage is too high.']]);
    expect(desk.errorsOfForm().map(({ record }) => record)).toEqual([1, undefined]);
    expect([desk.problem.value, valuesOf(desk).length]).toEqual([undefined, 2]);
    desk.type(1, DISTANCE, '10');
    expect(textsAt(desk, 1, VOLTAGE)).toEqual(['voltage is too high.']);
    desk.type(1, VOLTAGE, '10');
    expect(textsAt(desk, 1, VOLTAGE)).toEqual([]);
  });

  test.each([
    [409, /^Someone changed this/],
    [412, /^Someone changed this/],
    [500, /^Something went wrong on our side.* reference r-1\.$/],
  ])('that fails with status %d says so, and the form stays', async (status, text) => {
    const desk = form({ [VOLTAGE]: '15' });
    const sending = desk.sendForm(false);
    await until(() => calls.length === 1);
    calls[0]?.answer({ message: 'No.', requestId: 'r-1' }, status);
    await sending;
    expect(desk.problem.value).toMatch(text);
    expect([valuesOf(desk)[0]?.[VOLTAGE], desk.isBusy.value]).toEqual(['15', false]);
  });

  test('of the same input has the same key, also after other input', async () => {
    const desk = form({ [VOLTAGE]: '15' });
    const send = async (): Promise<string | null | undefined> => {
      const count = calls.length;
      const sending = desk.sendForm(false);
      await until(() => calls.length > count);
      calls.at(-1)?.answer({ message: 'No.' }, 500);
      await sending;
      return calls.at(-1)?.headers.get('Idempotency-Key');
    };
    const first = await send();
    expect(first).toMatch(/^[0-9a-f]{32}-[0-9a-f]{8}$/);
    expect(await send()).toBe(first);
    desk.type(0, VOLTAGE, '16');
    expect(desk.problem.value).toBeUndefined();
    expect(await send()).not.toBe(first);
    desk.type(0, VOLTAGE, '15');
    expect(await send()).toBe(first);
  });

  test('of an own record replaces the revision that was read', async () => {
    const desk = form({ [VOLTAGE]: '15' });
    desk.own.value = { recordId: 9, entityTag: '"3"' };
    const sending = desk.sendForm(false);
    await until(() => calls.length === 1);
    expect(calls[0]).toMatchObject({ method: 'PUT', address: '/esd/data/update/9' });
    expect(calls[0]?.headers.get('If-Match')).toBe('"3"');
    calls[0]?.answer({ recordId: 9, status: 'PENDING', missingFields: [], warnings: [] });
    await sending;
    expect(desk.own.value).toBeUndefined();
    expect(desk.outcome.value).toMatchObject({ submissionId: undefined, records: [{ recordId: 9 }] });
  });
});

describe('a sheet', () => {
  function withSheet(...lines: string[]) {
    const desk = form();
    const sheet = openSheet(readPasted(['Polymer\tVoltage', ...lines].join('\n'), 'x'), references, new Map());
    if (typeof sheet === 'string') throw new Error(sheet);
    desk.checkSheet.value = checkSheet;
    desk.sheet.value = sheet;
    return { desk, sheet };
  }
  const numbers = (sheet: Sheet | undefined) => sheet?.rows.map(({ number }) => number);
  const rowsOf = (desk: Contribution) => desk.checkedSheet.value?.rows ?? [];
  const readyOf = (desk: Contribution) => desk.checkedSheet.value?.ready ?? [];

  test('is checked after its reader is loaded, and its polymers are known', () => {
    const { desk } = withSheet('PVA\t15', 'PVA\tx', 'PVA\t65');
    desk.mode.value = 'sheet';
    expect(rowsOf(desk).map(({ state, warnings }) => [state, warnings.length])).toEqual([
      ['ready', 0],
      ['error', 0],
      ['ready', 1],
    ]);
    expect([...desk.polymers.value]).toEqual(['=PVA']);
    desk.checkSheet.value = undefined;
    expect(desk.checkedSheet.value).toBeUndefined();
  });

  test('loses the rows that are stored', async () => {
    const { desk } = withSheet('PVA\t15', 'PVA\tx', 'PVA\t20');
    const sending = desk.sendRows(readyOf(desk), false);
    await until(() => calls.length === 1);
    expect(calls[0]?.json).toMatchObject({
      experimentData: [{ processParameter: { voltage: 15 } }, { processParameter: { voltage: 20 } }],
    });
    calls[0]?.answer(stored({}, {}));
    await sending;
    expect(numbers(desk.sheet.value)).toEqual([1, 3]);
    expect(desk.outcome.value?.records.length).toBe(2);
  });

  test('is removed after all of its rows are stored', async () => {
    const { desk } = withSheet('PVA\t15');
    const sending = desk.sendRows(readyOf(desk), false);
    await until(() => calls.length === 1);
    calls[0]?.answer(stored({}));
    await sending;
    expect(desk.sheet.value).toBeUndefined();
  });

  test('keeps cells that changed while other rows were sent', async () => {
    const { desk, sheet } = withSheet('PVA\t15', 'PVA\tx');
    const sending = desk.sendRows(readyOf(desk), false);
    await until(() => calls.length === 1);
    desk.change(() => {
      desk.sheet.value = withTexts(sheet, [3], [1], [['12.5']]);
    });
    calls[0]?.answer(stored({}));
    await sending;
    expect(desk.sheet.value?.rows.slice(1)).toEqual([{ number: 3, cells: ['PVA', '12.5'] }]);
  });

  test('that is only checked keeps all of its rows', async () => {
    const { desk, sheet } = withSheet('PVA\t15');
    const sending = desk.sendRows(readyOf(desk), true);
    await until(() => calls.length === 1);
    calls[0]?.answer({ valid: true, records: [] });
    await sending;
    expect(desk.sheet.value).toBe(sheet);
  });

  test('that is refused names at most ten rows', async () => {
    const { desk, sheet } = withSheet(...Array.from({ length: 12 }, () => 'PVA\t15'));
    const sending = desk.sendRows(readyOf(desk), false);
    await until(() => calls.length === 1);
    calls[0]?.answer(
      { errors: rowsOf(desk).map((_, at) => ({ path: `experimentData[${at}].x`, message: 'No.' })) },
      400,
    );
    await sending;
    expect(desk.problem.value).toBe(Array.from({ length: 10 }, (_, at) => `Row ${at + 2}: No.`).join(' '));
    expect(desk.sheet.value).toBe(sheet);
    expect(desk.refused.value).toEqual([]);
  });
});

describe('a draft', () => {
  const draft = (members: Partial<Draft> = {}): Draft => ({
    version: 1,
    mode: 'form',
    paper: { doi: '10.1/a', publicationTitle: '' },
    sender,
    experiments: [{ values: { [VOLTAGE]: '15' }, images: [] }],
    sheet: undefined,
    key: undefined,
    entityTag: undefined,
    savedAt: '2025-01-01T10:00:00.000Z',
    ...members,
  });

  test('is restored', async () => {
    await writeDraft('new', draft(), undefined);
    const desk = new Contribution('');
    await desk.open(undefined);
    expect([valuesOf(desk), desk.paper.value.doi, desk.sender.value]).toEqual([
      [{ [VOLTAGE]: '15' }],
      '10.1/a',
      sender,
    ]);
    expect([desk.restoredFrom.value, desk.hasChanges()]).toEqual(['2025-01-01T10:00:00.000Z', false]);
  });

  test('without input is not restored, but its sender is', async () => {
    const empty = draft({ paper: { doi: '', publicationTitle: '' }, experiments: [{ values: {}, images: [] }] });
    await writeDraft('new', empty, undefined);
    const desk = new Contribution('');
    await desk.open(undefined);
    expect([desk.restoredFrom.value, desk.sender.value]).toEqual([undefined, sender]);
  });

  test('is written after a change', async () => {
    const desk = new Contribution('');
    await desk.open(undefined);
    desk.type(0, VOLTAGE, '16');
    expect(desk.hasChanges()).toBe(true);
    await desk.saveNow();
    expect((await draftOf('new'))?.experiments).toEqual([{ values: { [VOLTAGE]: '16' }, images: [] }]);
    expect(desk.savedAt.value).toBe((await draftOf('new'))?.savedAt);
  });

  test('that is found after typing began stays separate from the new input', async () => {
    await writeDraft('new', draft(), undefined);
    const desk = new Contribution('');
    desk.type(0, VOLTAGE, '16');
    await desk.open(undefined);
    expect(valuesOf(desk)).toEqual([{ [VOLTAGE]: '16' }]);
    expect((await draftOf('new'))?.experiments[0]?.values[VOLTAGE]).toBe('15');
    expect((await draftOf('new#2'))?.experiments[0]?.values[VOLTAGE]).toBe('16');
    expect(desk.others.value).toBe(1);
  });

  test('repeats the key of its submission after a reload, until the submission is stored', async () => {
    const keyOf = (at: number) => calls[at]?.headers.get('Idempotency-Key');
    const desk = form({ [VOLTAGE]: '15' });
    await desk.open(undefined);
    desk.type(0, POLYMER, 'PVA');
    void desk.sendForm(false);
    await until(() => calls.length === 1);
    const reloaded = form();
    await reloaded.open(undefined);
    const sending = reloaded.sendForm(false);
    await until(() => calls.length === 2);
    expect(keyOf(1)).toBe(keyOf(0));
    calls[1]?.answer(stored({}));
    await sending;
    expect((await draftOf('new'))?.experiments).toEqual([{ values: {}, images: [] }]);
    expect(reloaded.hasChanges()).toBe(false);
    reloaded.type(0, POLYMER, 'PVA');
    reloaded.type(0, VOLTAGE, '15');
    void reloaded.sendForm(false);
    await until(() => calls.length === 3);
    expect(keyOf(2)).not.toBe(keyOf(0));
  });

  test('is deleted by starting over', async () => {
    await writeDraft('new', draft(), undefined);
    const desk = new Contribution('');
    await desk.open(undefined);
    await desk.startOver();
    expect([(await readDrafts()).size, valuesOf(desk), desk.restoredFrom.value]).toEqual([0, [{}], undefined]);
  });

  test('is reported as not stored if the browser stores none', async () => {
    // Closes the open database.
    await new Promise((resolve) => (indexedDB.deleteDatabase('esd-contribute').onsuccess = resolve));
    Object.defineProperty(globalThis, 'indexedDB', { value: undefined, configurable: true });
    const desk = new Contribution('');
    await desk.open(undefined);
    expect(desk.savedAt.value).toBeNull();
  });
});
