import type { SubstanceKey } from '@esd/record/reference/substance-names';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { call, type Send } from '../client/call.ts';
import { request, RequestError } from '../client/request.ts';
import { account, requestSignedIn } from '../client/session.ts';
import { polymersOf } from '../range-warnings.ts';
import {
  checkAround,
  type Checked,
  checkExperiment,
  type Finding,
  inPageOrder,
  type LocatedFinding,
} from './check-experiment.ts';
import { type Draft, hasInput, type Paper, type Sender } from './draft.ts';
import { type FormField, IMAGES } from './form-fields.ts';
import { LockedDraft, type OpenedDraft } from './locked-draft.ts';
import {
  copyOf,
  emptyExperiment,
  type FormExperiment,
  type FormValues,
  isEmptyExperiment,
  itemOf,
  withoutEmptyLines,
} from './form-values.ts';
import type { ReadTyped, TypedReading } from './read-typed.ts';
import type { ReferenceData } from './reference-data.ts';
import { type Outcome, outcomeOf, refusalsOf } from './outcome.ts';
import { digest, filled, newKey, type OwnRecord, readOwnRecord, sendingProblem, userMetadataOf } from './service.ts';
import type { CheckedRow, CheckedSheet, checkSheet } from './check-sheet.ts';
import { type OpenWorkbook, type Sheet, withoutRows } from './sheet.ts';

const SAVE_MS = 400;
const MAX_REPORTED = 10;

const NO_PAPER: Paper = { doi: '', publicationTitle: '' };
const BLANK = { paper: NO_PAPER, experiments: [emptyExperiment] };
const NO_SENDER: Sender = { name: '', email: '', consents: false };

/** The state of the page: its input, the errors in it, its draft, and its submission. */
export class Contribution {
  readonly mode = signal<Draft['mode']>('form');
  readonly paper = signal(NO_PAPER);
  readonly sender = signal(NO_SENDER);
  readonly experiments = signal<readonly FormExperiment[]>([emptyExperiment]);
  readonly current = signal(0);
  readonly sheet = signal<Sheet | undefined>(undefined);
  /** The workbook of the sheet. A restored draft has none. */
  readonly workbook = signal<OpenWorkbook | undefined>(undefined);
  /** The reader of sheets, which the page loads in the sheet mode only. */
  readonly checkSheet = signal<typeof checkSheet | undefined>(undefined);
  readonly checkedSheet: ReadonlySignal<CheckedSheet | undefined>;
  /** The reader of typed numbers, which the page loads when the first field loses the focus. */
  readonly readTyped = signal<ReadTyped | undefined>(undefined);
  readonly referenceData = signal<ReferenceData | undefined>(undefined);
  /** Fields that have lost the focus at least once, as `{experiment}:{path}`. The form shows no errors of other fields. */
  readonly left = signal<ReadonlySet<string>>(new Set());
  /** Whether the form shows all errors, which it does after the first attempt to send. */
  readonly showsAll = signal(false);
  /** Errors that the service reported, until their field changes. */
  readonly refused = signal<readonly LocatedFinding[]>([]);
  readonly outcome = signal<Outcome | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  readonly isBusy = signal(false);
  /** When the draft was stored; null if this browser stores no drafts. */
  readonly savedAt = signal<string | null | undefined>(undefined);
  /** When the restored draft was stored. */
  readonly restoredFrom = signal<string | undefined>(undefined);
  /** When the draft was stored, if another tab has it open. This tab then shows no form. */
  readonly elsewhere = signal<string | undefined>(undefined);
  /** The number of other stored drafts that no tab has open. */
  readonly others = signal(0);
  readonly own = signal<OwnRecord | undefined>(undefined);
  readonly checks: ReadonlySignal<readonly Checked[]>;
  readonly around: ReadonlySignal<readonly Finding[]>;
  /** The polymers of the experiments or of the rows of the sheet, as filter texts. */
  readonly polymers: ReadonlySignal<ReadonlySet<string>>;
  readonly #base: string;
  readonly #checkedExperiments = new WeakMap<
    FormExperiment,
    { referenceData: ReferenceData; readTyped: ReadTyped | undefined; checked: Checked }
  >();
  #lockedDraft: LockedDraft | undefined;
  /** The form without a draft. */
  #blank: { own?: OwnRecord; paper: Paper; experiments: readonly FormExperiment[] } = BLANK;
  /** With the digest of a body, it is the Idempotency-Key of a submission. A stored submission replaces it. */
  #key = newKey();
  #isChanged = false;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(base: string) {
    this.#base = base;
    this.checks = computed(() => {
      const referenceData = this.referenceData.value;
      return referenceData === undefined
        ? []
        : this.experiments.value.map((experiment) => this.#checked(experiment, referenceData));
    });
    this.checkedSheet = computed(() => {
      const [check, sheet, referenceData] = [this.checkSheet.value, this.sheet.value, this.referenceData.value];
      return check && sheet && referenceData && check(sheet, referenceData);
    });
    this.polymers = computed(() => {
      const ofRows =
        this.mode.value === 'sheet'
          ? (this.checkedSheet.value?.rows ?? []).map(({ item }) => (item ? polymersOf(item) : ''))
          : this.checks.value.map(({ polymers }) => polymers);
      return new Set(ofRows.filter((polymers) => polymers !== ''));
    });
    this.around = computed(() => {
      const referenceData = this.referenceData.value;
      if (referenceData === undefined) return [];
      return checkAround(userMetadataOf(this.sender.value), filled(this.paper.value), referenceData);
    });
  }

  /** Opens a draft of this browser, or a record. Throws RequestError if the record cannot be read. */
  async open(recordId: number | undefined): Promise<void> {
    if (recordId !== undefined) {
      const { own, paper, experiment } = await readOwnRecord(this.send, recordId);
      this.#blank = { own, paper, experiments: [experiment] };
      this.#show(undefined);
    }
    const locked = new LockedDraft(recordId === undefined ? 'new' : `record-${recordId}`, {
      store: () => this.saveNow(),
      lost: () => (this.elsewhere.value = this.savedAt.value ?? undefined),
      freed: () => void this.#switchDraft(async () => this.#show(await locked.read())),
    });
    const opened = await locked.open().catch((): OpenedDraft | undefined => undefined);
    this.#lockedDraft = opened && locked;
    if (opened === undefined) {
      this.savedAt.value = null;
      return;
    }
    const { draft, elsewhere, sender } = opened;
    // Repeated senders enter their name and address only once.
    if (sender && !this.#isChanged) this.sender.value = sender;
    if (this.#isChanged) {
      // Input that was typed before the stored draft was found becomes a separate draft.
      await locked.another();
      await this.saveNow();
    } else if (draft) this.#show(draft);
    else this.elsewhere.value = elsewhere;
    await this.#countOthers();
  }

  /** Takes over the draft of another tab, which first stores its input. */
  async takeOver(): Promise<void> {
    await this.#switchDraft(async (locked) => this.#show(await locked.takeOver()));
  }

  /** Starts a new draft; the other tab keeps its own. */
  async startAnother(): Promise<void> {
    await this.#switchDraft(async (locked) => {
      await locked.another();
      this.#show(undefined);
    });
  }

  async #switchDraft(act: (locked: LockedDraft) => Promise<void>): Promise<void> {
    if (!this.#lockedDraft || this.isBusy.value) return;
    this.isBusy.value = true;
    try {
      await act(this.#lockedDraft);
      this.elsewhere.value = undefined;
      await this.#countOthers();
    } catch {
      this.problem.value = 'The browser could not open the draft. Try again.';
    } finally {
      this.isBusy.value = false;
    }
  }

  async #countOthers(): Promise<void> {
    this.others.value = (await this.#lockedDraft?.countOthers().catch(() => 0)) ?? 0;
  }

  #show(draft: Draft | undefined): void {
    this.#clearForm();
    this.#clearSheet();
    this.outcome.value = undefined;
    this.#isChanged = false;
    const { own, ...blank } = this.#blank;
    this.own.value = own;
    const entered = draft && hasInput(draft) ? draft : undefined;
    this.paper.value = (entered ?? blank).paper;
    this.experiments.value = (entered ?? blank).experiments;
    this.savedAt.value = entered?.savedAt;
    this.restoredFrom.value = entered?.savedAt;
    if (!entered) return;
    this.mode.value = entered.mode;
    this.sender.value = entered.sender;
    this.sheet.value = entered.sheet;
    this.#key = entered.key ?? this.#key;
    if (own && entered.entityTag !== undefined) this.own.value = { ...own, entityTag: entered.entityTag };
  }

  shown(record: number, path: string): Pick<Checked, 'errors' | 'warnings'> {
    const checked = this.checks.value[record];
    const isShown = this.showsAll.value || this.left.value.has(`${record}:${path}`);
    if (checked === undefined || !isShown) return { errors: [], warnings: [] };
    const at = (finding: Finding): boolean =>
      finding.path === path || (path === IMAGES && finding.path.startsWith(IMAGES));
    const refused = this.refused.value.filter((refusal) => refusal.record === record).map(({ finding }) => finding);
    const errors = [...checked.errors, ...refused].filter(at);
    return { errors, warnings: errors.length > 0 ? [] : checked.warnings.filter(at) };
  }

  /** Returns the error of a field of the paper or the sender. */
  aroundError(path: string): string | undefined {
    if (!this.showsAll.value) return undefined;
    const refused = this.refused.value.flatMap(({ record, finding }) => (record === undefined ? [finding] : []));
    return [...this.around.value, ...refused].find((finding) => finding.path === path)?.text;
  }

  /** Applies a change and stores the draft. */
  change(act: () => void): void {
    act();
    this.#isChanged = true;
    this.outcome.value = undefined;
    this.problem.value = undefined;
    this.save();
  }

  type(record: number, path: string, text: string): void {
    this.fill(record, { [path]: text });
  }

  /** Enters values by path. */
  fill(record: number, values: FormValues): void {
    this.replace(record, (before) => ({ ...before, values: { ...before.values, ...values } }));
    this.refused.value = this.refused.value.filter(
      (refusal) => refusal.record !== record || !(refusal.finding.path in values),
    );
  }

  /** Changes one experiment. */
  replace(record: number, change: (before: FormExperiment) => FormExperiment): void {
    this.change(() => {
      this.experiments.value = this.experiments.value.map((before, at) => (at === record ? change(before) : before));
    });
  }

  addExperiment(isCopy: boolean): void {
    const before = this.experiments.value[this.current.value] ?? emptyExperiment;
    this.change(() => {
      this.experiments.value = [...this.experiments.value, isCopy ? copyOf(before) : emptyExperiment];
    });
    this.current.value = this.experiments.value.length - 1;
  }

  removeExperiment(): void {
    this.change(() => {
      this.experiments.value = this.experiments.value.filter((_, at) => at !== this.current.value);
      this.left.value = new Set();
      this.refused.value = [];
    });
    this.current.value = Math.min(this.current.value, this.experiments.value.length - 1);
  }

  copyBefore(): void {
    const { value: current } = this.current;
    this.replace(current, () => copyOf(this.experiments.value[current - 1] ?? emptyExperiment));
  }

  leave(record: number, path: string): void {
    if (this.readTyped.value === undefined) void this.loadReader();
    this.left.value = new Set([...this.left.value, `${record}:${path}`]);
  }

  /** Loads the reader of typed numbers. Without it, the form only accepts plain numbers. */
  async loadReader(): Promise<void> {
    const loaded = await import('./read-typed.ts').catch(() => undefined);
    this.readTyped.value = loaded?.readTyped;
  }

  /** Enters each name of a blend in its own line. Its script is loaded for the first text that is no single name. */
  async splitBlend(record: number, path: string, key: SubstanceKey): Promise<void> {
    const { value: referenceData } = this.referenceData;
    const loaded = await import('./blend-names.ts').catch(() => undefined);
    const values = this.experiments.value[record]?.values;
    const filled = referenceData && values && loaded?.blendNames(values, path, key, referenceData.references);
    if (filled) this.fill(record, filled);
  }

  /** Returns the readings of the text in a field of a number. */
  readingsOf(record: number, field: FormField): readonly TypedReading[] {
    const { value: referenceData } = this.referenceData;
    const values = this.experiments.value[record]?.values;
    return (referenceData && values && this.readTyped.value?.(field, values, referenceData.references)) ?? [];
  }

  #checked(experiment: FormExperiment, referenceData: ReferenceData): Checked {
    const { value: readTyped } = this.readTyped;
    const cached = this.#checkedExperiments.get(experiment);
    if (cached?.referenceData === referenceData && cached.readTyped === readTyped) return cached.checked;
    const checked = checkExperiment(experiment, referenceData, readTyped);
    this.#checkedExperiments.set(experiment, { referenceData, readTyped, checked });
    return checked;
  }

  hasChanges(): boolean {
    const { paper, experiments, sheet } = this;
    if (this.elsewhere.value !== undefined) return false;
    return this.#isChanged && hasInput({ paper: paper.value, experiments: experiments.value, sheet: sheet.value });
  }

  save(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => void this.saveNow(), SAVE_MS);
  }

  async saveNow(): Promise<void> {
    clearTimeout(this.#saving);
    const savedAt = new Date().toISOString();
    const draft: Draft = {
      version: 1,
      mode: this.mode.value,
      paper: this.paper.value,
      sender: this.sender.value,
      experiments: this.experiments.value,
      sheet: this.sheet.value,
      key: this.#key,
      entityTag: this.own.value?.entityTag,
      savedAt,
    };
    try {
      if (this.#lockedDraft === undefined) return;
      await this.#lockedDraft.write(draft);
      this.savedAt.value = savedAt;
    } catch {
      this.savedAt.value = null;
    }
  }

  /** Deletes the input and its draft. */
  async startOver(): Promise<void> {
    this.#clearForm();
    this.#clearSheet();
    this.restoredFrom.value = undefined;
    this.outcome.value = undefined;
    clearTimeout(this.#saving);
    await this.#lockedDraft?.forget().catch(() => undefined);
    await this.#countOthers();
  }

  #clearSheet(): void {
    this.sheet.value = undefined;
    this.workbook.value = undefined;
  }

  #clearForm(): void {
    this.paper.value = NO_PAPER;
    this.experiments.value = [emptyExperiment];
    this.current.value = 0;
    this.left.value = new Set();
    this.showsAll.value = false;
    this.refused.value = [];
    this.#key = newKey();
  }

  /** Drops empty experiments, checks the form, and returns whether it can be sent. */
  isReady(): boolean {
    const entered = this.experiments.value
      .filter((experiment) => !isEmptyExperiment(experiment))
      .map(withoutEmptyLines);
    this.experiments.value = entered.length === 0 ? [emptyExperiment] : entered;
    this.current.value = Math.min(this.current.value, this.experiments.value.length - 1);
    this.refused.value = [];
    this.showsAll.value = true;
    if (this.referenceData.value === undefined) {
      this.problem.value = 'The reference lists are still loading. Try again in a moment.';
      return false;
    }
    return this.errorsOfForm().length === 0;
  }

  /** Lists the errors that prevent sending, in the order of the page. */
  errorsOfForm(): LocatedFinding[] {
    const ofExperiments = this.checks.value.flatMap(({ errors }, record) =>
      errors.map((finding) => ({ record, finding })),
    );
    const around = this.around.value.map((finding) => ({ record: undefined, finding }));
    return inPageOrder([...around, ...ofExperiments, ...this.refused.value], this.experiments.value);
  }

  async sendForm(isCheck: boolean): Promise<void> {
    const items = this.experiments.value.map(itemOf);
    await this.#runExclusive(async () => {
      const own = this.own.value;
      const outcome = own && !isCheck ? await this.#update(own, items) : await this.#submit(items, isCheck);
      if (!isCheck) {
        this.#clearForm();
        if (own) this.own.value = undefined;
        await this.#afterSending();
      }
      this.outcome.value = outcome;
    });
  }

  /** Sends ready rows of the sheet. Stored rows leave the sheet. */
  async sendRows(rows: readonly CheckedRow[], isCheck: boolean): Promise<void> {
    const before = this.checkedSheet.value;
    const items = rows.flatMap(({ item }) => item ?? []);
    await this.#runExclusive(
      async () => {
        const outcome = await this.#submit(items, isCheck);
        if (!isCheck) {
          const sent = rows.map(({ row }) => row);
          this.sheet.value = this.sheet.value && before && withoutRows(this.sheet.value, sent, before);
          this.#key = newKey();
          await this.#afterSending();
        }
        this.outcome.value = outcome;
      },
      (record) => `Row ${rows[record]?.row.number ?? ''}`,
    );
  }

  async #afterSending(): Promise<void> {
    this.restoredFrom.value = undefined;
    this.#isChanged = false;
    await this.saveNow();
    await this.#countOthers();
  }

  async #submit(items: readonly object[], isCheck: boolean): Promise<Outcome> {
    const user = userMetadataOf(this.sender.value);
    const json = {
      ...(user === undefined ? {} : { userMetadata: user }),
      researchMetadata: filled(this.paper.value),
      experimentData: items,
    };
    if (isCheck) {
      const options = { query: 'validate=only', json, isRepeatable: true } as const;
      return outcomeOf((await call(this.send, 'post', '/data/submit', options)).body, items, json);
    }
    // The key is stored before sending, so that a reload repeats this submission and does not create a second one.
    await this.saveNow();
    const headers = { 'Idempotency-Key': `${this.#key}-${digest(JSON.stringify(json))}` };
    return outcomeOf((await call(this.send, 'post', '/data/submit', { json, headers })).body, items, json);
  }

  async #update({ recordId, entityTag }: OwnRecord, items: readonly object[]): Promise<Outcome> {
    const json = { researchMetadata: filled(this.paper.value), experimentData: items };
    const options = { parameters: { recordId }, json, headers: { 'If-Match': entityTag } };
    return outcomeOf((await call(this.send, 'put', '/data/update/{recordId}', options)).body, items, json);
  }

  /** Sends a request of the signed-in user, or an anonymous one. Throws RequestError. */
  readonly send: Send = (path, options) =>
    account.value ? requestSignedIn(path, options) : request(this.#base + path, options);

  /** Opens the sign-in dialog. Throws RequestError AUTH_REQUIRED if the user cancels it. */
  async signIn(): Promise<void> {
    await requestSignedIn('/auth/me');
  }

  /**
   * Runs one action at a time and shows why it failed.
   * @param nameOf returns a name for the position of a record on the page; without it, errors appear at their fields
   */
  async #runExclusive(act: () => Promise<void>, nameOf?: (record: number) => string): Promise<void> {
    if (this.isBusy.value) return;
    this.isBusy.value = true;
    this.problem.value = undefined;
    this.outcome.value = undefined;
    try {
      await act();
    } catch (error) {
      const refused = error instanceof RequestError && error.status === 400 ? refusalsOf(error) : [];
      this.refused.value = nameOf ? [] : refused;
      if (refused.length === 0) this.problem.value = sendingProblem(error);
      else if (nameOf) {
        const texts = refused.slice(0, MAX_REPORTED).map(({ record, finding: { text } }) => {
          return record === undefined ? text : `${nameOf(record)}: ${text}`;
        });
        this.problem.value = texts.join(' ');
      }
    } finally {
      this.isBusy.value = false;
    }
  }
}

export function assign<Value extends object>(into: Signal<Value>, members: Partial<Value>): void {
  into.value = { ...into.value, ...members };
}
