import { type Draft, hasInput, type Sender } from './draft.ts';
import { deleteDraft, readDrafts, writeDraft } from './draft-store.ts';

const CHANNEL = 'esd-drafts';
/** Time limit for another tab to hand over a draft. After that, this tab takes it. */
const HANDOVER_MS = 3_000;

export interface OpenedDraft {
  /** Undefined if this tab could not lock a draft. */
  readonly draft: Draft | undefined;
  /** When the draft was stored, if another tab has locked it. This tab can take it over. */
  readonly elsewhere?: string;
  /** The sender in the latest draft. */
  readonly sender: Sender | undefined;
}

/** A message between tabs: a tab requests a draft, or has stored its input in the draft. */
interface TabMessage {
  readonly name: string;
  readonly news: 'wanted' | 'kept';
}

interface Hooks {
  /** Stores the input before another tab gets the draft. */
  readonly store: () => Promise<void>;
  /** Called when another tab has taken the draft. */
  readonly lost: () => void;
  /** Called when this tab gets the draft because the other tab was closed. */
  readonly freed: () => void;
}

/**
 * The draft that this tab edits. There may be several of one kind (`new`, `new#2`); a tab locks its draft, so that no other tab edits it.
 * If the browser has no locks (plain HTTP from another machine), two tabs may start with the same draft. The second one that writes
 * then continues with a draft of its own.
 */
export class LockedDraft {
  readonly #kind: string;
  readonly #hooks: Hooks;
  readonly #channel = new BroadcastChannel(CHANNEL);
  #name: string;
  #isLocked = false;
  #release: (() => void) | undefined;
  /** Ends the wait for a lock that another tab has. */
  #waiting: AbortController | undefined;
  /** When the stored draft was saved, as far as this tab knows. */
  #savedAt: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(kind: string, hooks: Hooks) {
    this.#kind = kind;
    this.#name = kind;
    this.#hooks = hooks;
    this.#channel.addEventListener('message', ({ data: { name, news } }: MessageEvent<TabMessage>) => {
      if (news === 'wanted' && name === this.#name && this.#isLocked) void this.#handOver();
    });
  }

  /** Opens the first draft that no other tab has locked, or a new one. Throws if this browser stores no drafts. */
  async open(): Promise<OpenedDraft> {
    const drafts = await this.#drafts();
    const sender = [...drafts.values()].toSorted((draft, other) => (draft.savedAt < other.savedAt ? 1 : -1))[0]?.sender;
    const entered = [...drafts].filter(([, draft]) => hasInput(draft));
    for (const [name, draft] of entered) {
      if (await this.#tryLock(name, { ifAvailable: true })) {
        this.#savedAt = draft.savedAt;
        return { draft, sender };
      }
    }
    const [first] = entered;
    if (!first) {
      await this.another();
      return { draft: undefined, sender };
    }
    this.#name = first[0];
    this.#waitUntilFree();
    return { draft: undefined, elsewhere: first[1].savedAt, sender };
  }

  async another(): Promise<void> {
    this.#unlock();
    const drafts = await this.#drafts();
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? this.#kind : `${this.#kind}#${number}`;
      const stored = drafts.get(name);
      if ((stored && hasInput(stored)) || !(await this.#tryLock(name, { ifAvailable: true }))) continue;
      this.#savedAt = stored?.savedAt;
      return;
    }
  }

  /** Takes the draft from the tab that has locked it, with the input of that tab. */
  async takeOver(): Promise<Draft | undefined> {
    const name = this.#name;
    this.#waiting?.abort();
    await new Promise<void>((resolve) => {
      // A tab that shows a browser dialog or has crashed does not answer.
      const answered = AbortSignal.timeout(HANDOVER_MS);
      answered.addEventListener('abort', () => resolve());
      const onMessage = ({ data }: MessageEvent<TabMessage>): void => {
        if (data.news === 'kept' && data.name === name) resolve();
      };
      this.#channel.addEventListener('message', onMessage, { signal: answered });
      this.#channel.postMessage({ name, news: 'wanted' } satisfies TabMessage);
    });
    await this.#tryLock(name, { steal: true });
    return await this.read();
  }

  /** Reads the stored draft. Throws if this browser stores none. */
  async read(): Promise<Draft | undefined> {
    const draft = (await this.#drafts()).get(this.#name);
    this.#savedAt = draft?.savedAt;
    return draft;
  }

  /** Stores the draft; writes run one after the other. Throws if another tab has the draft or the browser stores none. */
  async write(draft: Draft): Promise<void> {
    const before = this.#writing;
    const written = (async () => {
      await before.catch(() => undefined);
      if (!this.#isLocked) throw new Error('Another tab has this draft.');
      if (!(await writeDraft(this.#name, draft, this.#savedAt))) {
        await this.another();
        await writeDraft(this.#name, draft, this.#savedAt);
      }
      this.#savedAt = draft.savedAt;
    })();
    this.#writing = written;
    await written;
  }

  async forget(): Promise<void> {
    await this.#writing.catch(() => undefined);
    if (!this.#isLocked) return;
    await deleteDraft(this.#name);
    this.#savedAt = undefined;
  }

  /** Counts the other drafts of this kind that no tab has locked. */
  async countOthers(): Promise<number> {
    const entered = [...(await this.#drafts())].filter(([name, draft]) => name !== this.#name && hasInput(draft));
    if (!('locks' in navigator)) return entered.length;
    const locked = new Set((await navigator.locks.query()).held?.map(({ name }) => name));
    return entered.filter(([name]) => !locked.has(lockOf(name))).length;
  }

  /** Reads the drafts of this kind by name, in the order of their numbers. */
  async #drafts(): Promise<Map<string, Draft>> {
    const all = [...(await readDrafts())].filter(([name]) => name === this.#kind || name.startsWith(`${this.#kind}#`));
    return new Map(all.toSorted(([draft], [other]) => numberOf(draft) - numberOf(other)));
  }

  /** Stores the input and stops editing; the tab that wants the draft then takes the lock. */
  async #handOver(): Promise<void> {
    await this.#hooks.store();
    this.#isLocked = false;
    this.#hooks.lost();
    this.#channel.postMessage({ name: this.#name, news: 'kept' } satisfies TabMessage);
  }

  #unlock(): void {
    this.#waiting?.abort();
    this.#isLocked = false;
    this.#release?.();
    this.#release = undefined;
  }

  #waitUntilFree(): void {
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    void this.#tryLock(this.#name, { signal }).then((isLocked) => {
      if (isLocked) this.#hooks.freed();
    });
  }

  /** Locks a draft until this tab releases it or another tab takes it. Returns whether this tab has the lock. */
  async #tryLock(name: string, options: LockOptions): Promise<boolean> {
    if ('locks' in navigator && !(await this.#lock(name, options))) return false;
    this.#name = name;
    this.#isLocked = true;
    return true;
  }

  #lock(name: string, options: LockOptions): Promise<boolean> {
    return new Promise((resolve) => {
      let isGranted = false;
      const holding = navigator.locks.request(lockOf(name), options, async (lock) => {
        isGranted = lock !== null;
        resolve(isGranted);
        if (isGranted) await new Promise<void>((release) => (this.#release = release));
      });
      holding.catch(() => {
        if (!isGranted) {
          resolve(false);
          return;
        }
        if (this.#name !== name) return;
        // Another tab took it.
        if (this.#isLocked) {
          this.#isLocked = false;
          this.#hooks.lost();
        }
        this.#waitUntilFree();
      });
    });
  }
}

const lockOf = (name: string): string => `esd-draft ${name}`;
const numberOf = (name: string): number => Number(name.split('#')[1] ?? 1);
