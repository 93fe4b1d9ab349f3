import { STATUSES, type Status } from './shapes.ts';

/** The view of the page, as in its URL. */
export interface QueueView {
  readonly status: Status;
  /** Whether the list shows the moderator's own decisions instead of the queue. */
  readonly isMine: boolean;
  readonly polymer: string;
  readonly submitter: string;
  /** Only records from this network. */
  readonly origin: string;
  readonly submissionId: string;
  readonly recordId: number | undefined;
}

export function viewOf(search: string): QueueView {
  const parameters = new URLSearchParams(search);
  const recordId = Number(parameters.get('record') ?? NaN);
  return {
    status: STATUSES.find((status) => status === parameters.get('status')) ?? 'PENDING',
    isMine: parameters.get('show') === 'decisions',
    polymer: parameters.get('polymer') ?? '',
    submitter: parameters.get('submitter') ?? '',
    origin: parameters.get('origin') ?? '',
    submissionId: /^[1-9]\d{0,14}$/.exec(parameters.get('submissionId') ?? '')?.[0] ?? '',
    recordId: Number.isSafeInteger(recordId) && recordId > 0 ? recordId : undefined,
  };
}

/** Returns the query string of a view, without its defaults. */
export function searchOf({ status, isMine, recordId, ...texts }: QueueView): string {
  const parameters = new URLSearchParams();
  if (isMine) parameters.set('show', 'decisions');
  else if (status !== 'PENDING') parameters.set('status', status);
  for (const [name, value] of Object.entries(texts)) if (value !== '') parameters.set(name, value);
  if (recordId !== undefined) parameters.set('record', String(recordId));
  const query = parameters.toString();
  return query === '' ? '' : `?${query}`;
}

/** Empty values of all filters, so that only a new filter applies. */
export const NO_FILTERS = { polymer: '', submitter: '', origin: '', submissionId: '' } as const;

export function queueQuery(
  { status, isMine: _, recordId: _id, ...texts }: QueueView,
  skip: number,
  limit: number,
): string {
  const parameters = new URLSearchParams({ status, skip: String(skip), limit: String(limit) });
  for (const [name, value] of Object.entries(texts)) if (value !== '') parameters.set(name, value);
  return parameters.toString();
}
