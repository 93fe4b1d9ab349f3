import { type Draft, hasInput, type Sender } from './draft.ts';
import { deleteDraft, readDrafts, writeDraft } from './draft-store.ts';

const CHANNEL = 'esd-drafts';
/** How long a tab may take to give a draft away before it is taken. */
const GIVE_MS = 3_000;

/** What a tab begins with. */
export interface OpenedDraft {
  /** Undefined where there is none that this tab may work on. */
  readonly draft: Draft | undefined;
  /** When the draft was written that another tab works on, and this one could take over. */
  readonly elsewhere?: string;
  /** Of the draft that was written last. */
  readonly sender: Sender | undefined;
}

/** What tabs tell each other: a draft is wanted, or what was typed into it is kept. */
interface News {
  readonly name: string;
  readonly news: 'wanted' | 'kept';
}

interface Hooks {
  /** Keeps what is typed, before another tab gets the draft. */
  readonly keep: () => Promise<void>;
  /** Another tab has the draft. */
  readonly lost: () => void;
  /** The tab that had the draft is closed: this one has it. */
  readonly freed: () => void;
}

/**
 * The draft that this tab works on. There may be several of one kind (`new`, `new#2`); while a tab works on one it holds its
 * lock, so that no other tab does. Where the browser has no locks (plain HTTP from another machine) two tabs may begin with
 * the same draft, and the second one to write goes on with a draft of its own.
 */
export class LockedDraft {
  readonly #kind: string;
  readonly #hooks: Hooks;
  readonly #channel = new BroadcastChannel(CHANNEL);
  #name: string;
  #isHeld = false;
  #release: (() => void) | undefined;
  /** Ends the wait for the lock of a draft that another tab works on. */
  #waiting: AbortController | undefined;
  /** Of the stored draft as this tab knows it. */
  #savedAt: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(kind: string, hooks: Hooks) {
    this.#kind = kind;
    this.#name = kind;
    this.#hooks = hooks;
    this.#channel.addEventListener('message', ({ data: { name, news } }: MessageEvent<News>) => {
      if (news === 'wanted' && name === this.#name && this.#isHeld) void this.#giveAway();
    });
  }

  /** Takes the first draft that no other tab works on, or a new one where no tab works on any. Throws where this browser keeps no drafts. */
  async open(): Promise<OpenedDraft> {
    const drafts = await this.#drafts();
    const sender = [...drafts.values()].toSorted((one, other) => (one.savedAt < other.savedAt ? 1 : -1))[0]?.sender;
    const entered = [...drafts].filter(([, draft]) => hasInput(draft));
    for (const [name, draft] of entered) {
      if (await this.#hold(name, { ifAvailable: true })) {
        this.#savedAt = draft.savedAt;
        return { draft, sender };
      }
    }
    const [held] = entered;
    if (!held) {
      await this.another();
      return { draft: undefined, sender };
    }
    this.#name = held[0];
    this.#waitUntilFree();
    return { draft: undefined, elsewhere: held[1].savedAt, sender };
  }

  /** Goes on with a new draft. */
  async another(): Promise<void> {
    this.#letGo();
    const drafts = await this.#drafts();
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? this.#kind : `${this.#kind}#${number}`;
      const stored = drafts.get(name);
      if ((stored && hasInput(stored)) || !(await this.#hold(name, { ifAvailable: true }))) continue;
      this.#savedAt = stored?.savedAt;
      return;
    }
  }

  /** Takes the draft from the tab that works on it, as that tab left it. */
  async takeOver(): Promise<Draft | undefined> {
    const name = this.#name;
    this.#waiting?.abort();
    await new Promise<void>((resolve) => {
      // A tab that is asked something by its browser, or broke, does not answer.
      const answered = AbortSignal.timeout(GIVE_MS);
      answered.addEventListener('abort', () => resolve());
      const hear = ({ data }: MessageEvent<News>): void => {
        if (data.news === 'kept' && data.name === name) resolve();
      };
      this.#channel.addEventListener('message', hear, { signal: answered });
      this.#channel.postMessage({ name, news: 'wanted' } satisfies News);
    });
    await this.#hold(name, { steal: true });
    return await this.read();
  }

  /** The draft as it is stored. Throws where this browser keeps none. */
  async read(): Promise<Draft | undefined> {
    const draft = (await this.#drafts()).get(this.#name);
    this.#savedAt = draft?.savedAt;
    return draft;
  }

  /** Keeps the draft; one after the other. Throws once another tab has it, and where the browser keeps none. */
  async write(draft: Draft): Promise<void> {
    const before = this.#writing;
    const written = (async () => {
      await before.catch(() => undefined);
      if (!this.#isHeld) throw new Error('Another tab has this draft.');
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
    if (!this.#isHeld) return;
    await deleteDraft(this.#name);
    this.#savedAt = undefined;
  }

  /** How many other drafts of this kind are kept that no tab works on. */
  async countOthers(): Promise<number> {
    const entered = [...(await this.#drafts())].filter(([name, draft]) => name !== this.#name && hasInput(draft));
    if (!('locks' in navigator)) return entered.length;
    const held = new Set((await navigator.locks.query()).held?.map(({ name }) => name));
    return entered.filter(([name]) => !held.has(lockOf(name))).length;
  }

  /** The drafts of this kind by name, the first one first. */
  async #drafts(): Promise<Map<string, Draft>> {
    const all = [...(await readDrafts())].filter(([name]) => name === this.#kind || name.startsWith(`${this.#kind}#`));
    return new Map(all.toSorted(([one], [other]) => numberOf(one) - numberOf(other)));
  }

  /** Stops here; the lock is taken by the tab that wants the draft. */
  async #giveAway(): Promise<void> {
    await this.#hooks.keep();
    this.#isHeld = false;
    this.#hooks.lost();
    this.#channel.postMessage({ name: this.#name, news: 'kept' } satisfies News);
  }

  #letGo(): void {
    this.#waiting?.abort();
    this.#isHeld = false;
    this.#release?.();
    this.#release = undefined;
  }

  #waitUntilFree(): void {
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    void this.#hold(this.#name, { signal }).then((isHeld) => {
      if (isHeld) this.#hooks.freed();
    });
  }

  /** Whether this tab has the draft's lock; it keeps it until it lets go, or another tab takes it. */
  async #hold(name: string, options: LockOptions): Promise<boolean> {
    if ('locks' in navigator && !(await this.#lock(name, options))) return false;
    this.#name = name;
    this.#isHeld = true;
    return true;
  }

  #lock(name: string, options: LockOptions): Promise<boolean> {
    return new Promise((resolve) => {
      let isGiven = false;
      const held = navigator.locks.request(lockOf(name), options, async (lock) => {
        isGiven = lock !== null;
        resolve(isGiven);
        if (isGiven) await new Promise<void>((release) => (this.#release = release));
      });
      held.catch(() => {
        if (!isGiven) {
          resolve(false);
          return;
        }
        if (this.#name !== name) return;
        // Another tab took it.
        if (this.#isHeld) {
          this.#isHeld = false;
          this.#hooks.lost();
        }
        this.#waitUntilFree();
      });
    });
  }
}

const lockOf = (name: string): string => `esd-draft ${name}`;
const numberOf = (name: string): number => Number(name.split('#')[1] ?? 1);
