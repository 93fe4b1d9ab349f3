import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { call } from '../client/call.ts';
import type { StaffRequest } from '../staff/service.ts';
import type { QueueView } from './address.ts';
import type { Review } from './shapes.ts';

export interface ShownRecord {
  readonly review: Review;
  /** The ETag for If-Match. */
  readonly tag: string;
  /** Whether the record has changed since it was read. */
  readonly isOld: boolean;
}

export type OpenRecord = ReturnType<typeof openRecord>;

/** @param loadDetails loads the script that shows a record */
export function openRecord(request: StaffRequest, view: ReadonlySignal<QueueView>, loadDetails: () => Promise<void>) {
  const shown = signal<ShownRecord | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  /** False while another record is loading and the previous one is still shown. */
  const isCurrent = computed(() => {
    const { review, isOld } = shown.value ?? {};
    return isOld === false && review?.recordId === view.value.recordId;
  });
  let opening = new AbortController();

  async function readReview(recordId: number, stop?: AbortSignal): Promise<ShownRecord> {
    const options = { parameters: { id: recordId }, ...(stop && { signal: stop }) };
    const { body, headers } = await call(request, 'get', '/moderation/records/{id}', options);
    return { review: body, tag: headers.get('ETag') ?? '', isOld: false };
  }

  async function open(): Promise<void> {
    opening.abort();
    opening = new AbortController();
    const { signal: stop } = opening;
    const { recordId } = view.value;
    failure.value = undefined;
    if (recordId === undefined) {
      shown.value = undefined;
      return;
    }
    try {
      const [found] = await Promise.all([readReview(recordId, stop), loadDetails()]);
      if (!stop.aborted) shown.value = found;
    } catch (error) {
      if (stop.aborted) return;
      shown.value = undefined;
      failure.value = error;
    }
  }

  return { shown, failure, isCurrent, readReview, open };
}
