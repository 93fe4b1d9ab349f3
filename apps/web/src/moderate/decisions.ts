import { computed, signal } from '@preact/signals';
import * as z from 'zod/mini';
import { RequestError } from '../client/request.ts';
import { problemsOf, read } from '../client/read.ts';
import { countText, timeText } from '../format.ts';
import type { StaffRequest } from '../staff/service.ts';
import type { ToastMessage } from '../staff/toast.tsx';
import type { OpenRecord } from './open-record.ts';
import type { ReviewQueue } from './queue.ts';

export type Act = 'approve' | 'reject' | 'withdraw' | 'restore' | 'reopen';

export const DONE: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
  restore: 'returned to the review queue',
  reopen: 'returned to the review queue',
};

/** A message about records that changed while the moderator read them. */
interface Note {
  readonly title: string;
  readonly text: string;
  readonly recordId?: number;
}

interface Desk {
  request: StaffRequest;
  reviews: Pick<ReviewQueue, 'chosen' | 'unchoose' | 'list'>;
  record: Pick<OpenRecord, 'shown' | 'failure' | 'isCurrent' | 'readReview'>;
  /** Removes decided records from the queue. */
  leave: (recordIds: ReadonlySet<number>) => void;
}

const conflicts = z.object({ errors: z.array(z.object({ recordId: z.number() })) });
const many = z.object({ records: z.array(z.object({ recordId: z.number() })) });

/** Sends the decisions of a moderator one at a time, and reports decisions that other moderators made first. */
export function decisions({ request, reviews, record, leave }: Desk) {
  const { shown, failure } = record;
  const note = signal<Note | undefined>(undefined);
  const done = signal<ToastMessage | undefined>(undefined);
  const isBusy = signal(false);
  /** The typed reasons by record; 0 for a decision on many records. */
  const reasons = signal<ReadonlyMap<number, string>>(new Map());
  const canDecide = computed(() => !isBusy.value && record.isCurrent.value);
  /** The record whose latest decision got no response. The service may have received the decision. */
  let unanswered: number | undefined;

  async function decide(act: Act, reason?: string): Promise<void> {
    const current = shown.value;
    if (!current || !canDecide.value) return;
    const { recordId } = current.review;
    await runExclusive(async () => {
      try {
        await request(`/moderation/records/${recordId}/${act}`, {
          method: 'POST',
          json: reason === undefined ? {} : { reason },
          headers: { 'If-Match': current.tag },
        });
        finish(`Record ${recordId} was ${DONE[act] ?? 'changed'}.`, recordId, new Set([recordId]));
      } catch (error) {
        const status = error instanceof RequestError ? error.status : undefined;
        if (status === 0) unanswered = recordId;
        if (status === 412) shown.value = { ...current, isOld: true };
        else if (status === 409) await reportEarlierDecision(recordId);
        else throw error;
      }
    });
  }

  /** Reports an earlier decision on a record, and removes the record from the queue. */
  async function reportEarlierDecision(recordId: number): Promise<void> {
    const { review } = await record.readReview(recordId);
    const last = review.history.at(-1);
    const who = unanswered === recordId ? '' : ' by someone else';
    note.value = {
      title: `Record ${recordId} was ${DONE[last?.action ?? ''] ?? 'changed'}${who} at ${last ? timeText(new Date(last.at)) : 'the same time'}.`,
      text: 'It was removed from your queue. Your draft reason is saved.',
      recordId,
    };
    leave(new Set([recordId]));
  }

  /** Decides on all selected records, or on all anonymous records from one network. */
  async function decideMany(
    act: 'approve' | 'reject',
    which: { origin: string } | 'chosen',
    reason?: string,
  ): Promise<void> {
    const records = [...reviews.chosen.value];
    const body = {
      ...(which === 'chosen'
        ? { recordIds: records.map(([id]) => id), revisions: records.map(([, revision]) => revision) }
        : which),
      ...(reason === undefined ? {} : { reason }),
    };
    await runExclusive(async () => {
      try {
        const answer = read(many, await request(`/moderation/${act}`, { method: 'POST', json: body }));
        const decided = new Set(answer.records.map(({ recordId }) => recordId));
        finish(`${countText(decided.size, 'record was', 'records were')} ${DONE[act] ?? ''}.`, 0, decided);
      } catch (error) {
        const lost = conflictsOf(error);
        if (!lost) throw error;
        const reasonsOfService = problemsOf(error).map(({ message }) => message);
        note.value = {
          title: `No record was ${DONE[act] ?? ''}: ${lost.size} of ${records.length} changed while you were reading.`,
          text: `${reasonsOfService.slice(0, 3).join(' ')} ${countText(records.length - lost.size, 'other is', 'others are')} still selected.`,
        };
        reviews.unchoose(lost);
        void reviews.list();
      }
    });
  }

  /** Confirms a decision and clears its reason. */
  function finish(text: string, reasonOf: number, decided: ReadonlySet<number>): void {
    note.value = undefined;
    done.value = { text };
    setReason(reasonOf, '');
    leave(decided);
  }

  async function runExclusive(act: () => Promise<void>): Promise<void> {
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

  function dismiss(): void {
    note.value = undefined;
  }

  return { note, done, isBusy, canDecide, reasons, decide, decideMany, setReason, dismiss };
}

/** Returns the records that made the service refuse a decision on many records; undefined for any other failure. */
function conflictsOf(error: unknown): ReadonlySet<number> | undefined {
  if (!(error instanceof RequestError) || error.status !== 409) return undefined;
  const found = z.safeParse(conflicts, error.body);
  return found.success ? new Set(found.data.errors.map(({ recordId }) => recordId)) : undefined;
}
