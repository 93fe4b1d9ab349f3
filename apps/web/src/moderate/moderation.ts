import { computed, signal } from '@preact/signals';
import * as z from 'zod/mini';
import { RequestError } from '../client/ask.ts';
import { pageOf, problemsOf, read } from '../client/read.ts';
import { countText } from '../format.ts';
import type { Staff } from '../staff/service.ts';
import type { Said } from '../staff/toast.tsx';
import { type Place, placeOf, queueQuery, searchOf } from './address.ts';
import { type QueueEntry, queueEntry, type Review, review } from './shapes.ts';

const LOADED_AT_ONCE = 100;
/** The service lists and decides so many at once. */
export const MAX_AT_ONCE = 1_000;

export type Act = 'approve' | 'reject' | 'withdraw' | 'restore' | 'reopen';

export const DONE: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'declined',
  withdraw: 'withdrawn',
  restore: 'queued again',
  reopen: 'queued again',
};

export interface Queue {
  readonly entries: readonly QueueEntry[];
  readonly total: number;
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** The record that is looked at. */
export interface Shown {
  readonly review: Review;
  /** For If-Match. */
  readonly tag: string;
  /** Whether it has changed since it was read. */
  readonly isOld: boolean;
}

/** Something that happened to a record while it was looked at. */
export interface Note {
  readonly title: string;
  readonly text: string;
  readonly recordId?: number;
}

export type Moderation = ReturnType<typeof moderation>;

const conflicts = z.object({ errors: z.array(z.object({ recordId: z.number() })) });
const many = z.object({ records: z.array(z.object({ recordId: z.number() })) });

/** What the page knows and does. Its address is the place, the rest is signals. */
export function moderation({ ask }: Pick<Staff, 'ask'>) {
  const place = signal<Place>(placeOf(location.search));
  const queue = signal<Queue>({ entries: [], total: 0, isLoading: true, error: undefined });
  const shown = signal<Shown | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  const note = signal<Note | undefined>(undefined);
  const done = signal<Said | undefined>(undefined);
  const isBusy = signal(false);
  /** Chosen records with the revisions that were listed. */
  const chosen = signal<ReadonlyMap<number, number>>(new Map());
  /** What was typed as a reason, by record; 0 is for many at once. */
  const reasons = signal<ReadonlyMap<number, string>>(new Map());
  /** Not while another record is loaded: the one before is still shown. */
  const canDecide = computed(() => {
    const { review, isOld } = shown.value ?? {};
    return !isBusy.value && isOld === false && review?.recordId === place.value.recordId;
  });
  let listing = new AbortController();
  let opening = new AbortController();
  /** A decision that may have arrived although no answer came back. */
  let unanswered: number | undefined;

  /** Loads the queue from its start, or what follows. */
  async function list(from: 'start' | 'end' = 'start'): Promise<void> {
    listing.abort();
    listing = new AbortController();
    const { signal: stop } = listing;
    const before = from === 'start' ? [] : queue.value.entries;
    queue.value = { ...queue.value, isLoading: true, error: undefined };
    try {
      // What was sent together is selected as a whole.
      const limit = place.value.submissionId === '' ? LOADED_AT_ONCE : MAX_AT_ONCE;
      const query = queueQuery(place.value, before.length, limit);
      const answer = read(pageOf(queueEntry), await ask(`/moderation/queue?${query}`, { signal: stop }));
      if (stop.aborted) return;
      const known = new Set(before.map(({ recordId }) => recordId));
      const entries = [...before, ...answer.data.filter(({ recordId }) => !known.has(recordId))];
      queue.value = { entries, total: answer.total, isLoading: false, error: undefined };
    } catch (error) {
      if (!stop.aborted) queue.value = { ...queue.value, isLoading: false, error };
    }
  }

  /** Reads the record of the place. */
  async function open(): Promise<void> {
    opening.abort();
    opening = new AbortController();
    const { signal: stop } = opening;
    const { recordId } = place.value;
    failure.value = undefined;
    if (recordId === undefined) {
      shown.value = undefined;
      return;
    }
    try {
      const found = await readReview(recordId, stop);
      if (!stop.aborted) shown.value = found;
    } catch (error) {
      if (stop.aborted) return;
      shown.value = undefined;
      failure.value = error;
    }
  }

  async function readReview(recordId: number, stop?: AbortSignal): Promise<Shown> {
    const answer = await ask(`/moderation/records/${recordId}`, stop ? { signal: stop } : {});
    return { review: read(review, answer), tag: answer.headers.get('ETag') ?? '', isOld: false };
  }

  /** Shows another place, in the history of the browser too. */
  function go(change: Partial<Place>, how: 'push' | 'replace' = 'push'): void {
    const before = place.value;
    place.value = { ...before, ...change };
    const address = location.pathname + searchOf(place.value);
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    arrive(before);
  }

  /** After the browser went back or forth. */
  function arriveBack(): void {
    const before = place.value;
    place.value = placeOf(location.search);
    arrive(before);
  }

  function arrive(before: Place): void {
    const { recordId, ...filters } = place.value;
    if (searchOf({ ...filters, recordId: undefined }) !== searchOf({ ...before, recordId: undefined })) {
      chosen.value = new Map();
      if (!place.value.isMine) void list();
    }
    if (recordId !== before.recordId) void open();
  }

  /** The entry that many steps after the one that is shown. */
  function step(by: 1 | -1): void {
    const { entries } = queue.value;
    const at = entries.findIndex(({ recordId }) => recordId === place.value.recordId);
    const next = entries[at < 0 ? 0 : at + by];
    if (next) go({ recordId: next.recordId }, 'replace');
  }

  function choose(recordId: number, isChosen: boolean): void {
    const entry = queue.value.entries.find((one) => one.recordId === recordId);
    const next = new Map(chosen.value);
    if (!isChosen) next.delete(recordId);
    else if (entry && next.size < MAX_AT_ONCE) next.set(recordId, entry.revision);
    chosen.value = next;
  }

  /** Takes records from the queue as it stands here, and opens the one that follows. */
  function leave(recordIds: ReadonlySet<number>): void {
    const { entries, total, ...rest } = queue.value;
    const { recordId } = place.value;
    const left = entries.filter((entry) => !recordIds.has(entry.recordId));
    queue.value = { ...rest, entries: left, total: total - (entries.length - left.length) };
    chosen.value = new Map([...chosen.value].filter(([id]) => !recordIds.has(id)));
    if (recordId === undefined || !recordIds.has(recordId)) return;
    const at = entries.findIndex((entry) => entry.recordId === recordId);
    const next = entries.slice(Math.max(at, 0)).find((entry) => !recordIds.has(entry.recordId)) ?? left.at(-1);
    go({ recordId: next?.recordId }, 'replace');
    if (left.length === 0 && queue.value.total > 0) void list();
  }

  /** Decides on the record that is shown. */
  async function decide(act: Act, reason?: string): Promise<void> {
    const current = shown.value;
    if (!current || !canDecide.value) return;
    const { recordId } = current.review;
    await busily(async () => {
      try {
        await ask(`/moderation/records/${recordId}/${act}`, {
          method: 'POST',
          json: reason === undefined ? {} : { reason },
          headers: { 'If-Match': current.tag },
        });
        note.value = undefined;
        done.value = { text: `Record ${recordId} is ${DONE[act] ?? 'changed'}.` };
        setReason(recordId, '');
        leave(new Set([recordId]));
      } catch (error) {
        await tellRace(error, current);
      }
    });
  }

  /** Tells who else was there first; any other failure is shown as it is. */
  async function tellRace(error: unknown, before: Shown): Promise<void> {
    const { recordId } = before.review;
    const status = error instanceof RequestError ? error.status : undefined;
    if (status === 0) unanswered = recordId;
    if (status === 412) {
      shown.value = { ...before, isOld: true };
    } else if (status === 409) {
      const { review: now } = await readReview(recordId);
      const last = now.history.at(-1);
      const time =
        last && new Date(last.at).toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
      const who = unanswered === recordId ? '' : ' by someone else';
      note.value = {
        title: `Record ${recordId} was ${DONE[last?.action ?? ''] ?? 'changed'}${who} at ${time ?? 'the same time'}.`,
        text: 'It left your queue; your reason for it is kept.',
        recordId,
      };
      leave(new Set([recordId]));
    } else failure.value = error;
  }

  /** Decides on all that are chosen, or on all from one network without an account. */
  async function decideMany(
    act: 'approve' | 'reject',
    which: { origin: string } | 'chosen',
    reason?: string,
  ): Promise<void> {
    const records = [...chosen.value];
    const body = {
      ...(which === 'chosen'
        ? { recordIds: records.map(([id]) => id), revisions: records.map(([, revision]) => revision) }
        : which),
      ...(reason === undefined ? {} : { reason }),
    };
    await busily(async () => {
      try {
        const answer = read(many, await ask(`/moderation/${act}`, { method: 'POST', json: body }));
        const decided = new Set(answer.records.map(({ recordId }) => recordId));
        note.value = undefined;
        done.value = { text: `${countText(decided.size, 'record is', 'records are')} ${DONE[act] ?? ''}.` };
        setReason(0, '');
        leave(decided);
      } catch (error) {
        tellConflicts(error, act, records.length);
      }
    });
  }

  function tellConflicts(error: unknown, act: 'approve' | 'reject', asked: number): void {
    const found =
      error instanceof RequestError && error.status === 409 ? z.safeParse(conflicts, error.body) : undefined;
    if (found?.success !== true) {
      failure.value = error;
      return;
    }
    const reasonsOfService = problemsOf(error).map(({ message }) => message);
    const lost = new Set(found.data.errors.map(({ recordId }) => recordId));
    note.value = {
      title: `Nothing was ${DONE[act] ?? ''} yet: ${lost.size} of ${asked} changed while you read.`,
      text: `${reasonsOfService.slice(0, 3).join(' ')} ${countText(asked - lost.size, 'other is', 'others are')} still selected.`,
    };
    chosen.value = new Map([...chosen.value].filter(([id]) => !lost.has(id)));
    void list();
  }

  async function busily(act: () => Promise<void>): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    done.value = undefined;
    try {
      await act();
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  }

  function setReason(recordId: number, text: string): void {
    reasons.value = new Map(reasons.value).set(recordId, text);
  }

  return {
    place,
    queue,
    shown,
    failure,
    note,
    done,
    isBusy,
    canDecide,
    chosen,
    reasons,
    hasMore: computed(() => queue.value.entries.length < queue.value.total),
    list,
    open,
    go,
    arriveBack,
    step,
    choose,
    chooseNone: () => {
      chosen.value = new Map();
    },
    decide,
    decideMany,
    setReason,
    dismiss: () => {
      note.value = undefined;
    },
  };
}
