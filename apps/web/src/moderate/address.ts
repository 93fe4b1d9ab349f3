import { type QueueKind, queueKinds } from '@esd/record/status/queue-kinds';
import { type RecordStatus, recordStatuses } from '@esd/record/status/record-status';

/** The view of the page, as in its URL. */
export interface QueueView {
  readonly status: RecordStatus;
  /** Whether the list shows the moderator's own decisions instead of the queue. */
  readonly isMine: boolean;
  /** Whether the list shows records; otherwise, it shows submissions. */
  readonly hasRecords: boolean;
  readonly kind: QueueKind;
  readonly polymer: string;
  readonly submitter: string;
  /** Only records from this network. */
  readonly origin: string;
  /** The open submission. */
  readonly submissionId: number | undefined;
  readonly recordId: number | undefined;
}

export function viewOf(search: string): QueueView {
  const parameters = new URLSearchParams(search);
  const idIn = (name: string): number | undefined => {
    const id = /^[1-9]\d{0,14}$/.exec(parameters.get(name) ?? '')?.[0];
    return id === undefined ? undefined : Number(id);
  };
  return {
    status: recordStatuses.find((status) => status === parameters.get('status')) ?? 'PENDING',
    isMine: parameters.get('show') === 'decisions',
    hasRecords: parameters.get('list') === 'records',
    kind: queueKinds.find((kind) => kind === parameters.get('kind')) ?? 'all',
    polymer: parameters.get('polymer') ?? '',
    submitter: parameters.get('submitter') ?? '',
    origin: parameters.get('origin') ?? '',
    submissionId: idIn('submissionId'),
    recordId: idIn('record'),
  };
}

/** Returns the query string of a view, without its defaults. */
export function searchOf(view: QueueView): string {
  const { status, isMine, hasRecords, kind, submissionId, recordId } = view;
  const parameters = new URLSearchParams();
  if (isMine) parameters.set('show', 'decisions');
  else if (status !== 'PENDING') parameters.set('status', status);
  if (hasRecords) parameters.set('list', 'records');
  if (kind !== 'all') parameters.set('kind', kind);
  for (const [name, value] of textsOf(view)) parameters.set(name, value);
  if (submissionId !== undefined) parameters.set('submissionId', String(submissionId));
  if (recordId !== undefined) parameters.set('record', String(recordId));
  const query = parameters.toString();
  return query === '' ? '' : `?${query}`;
}

/** Empty values of all filters, so that only a new filter applies. */
export const NO_FILTERS = { kind: 'all', polymer: '', submitter: '', origin: '' } as const;

/** Returns whether the list shows records. Only the list of records has filters by text. */
export function listsRecords(view: QueueView): boolean {
  return view.hasRecords || textsOf(view).length > 0;
}

export function queueQuery(view: QueueView, skip: number, limit: number): string {
  const { status, kind } = view;
  const parameters = new URLSearchParams({ status, kind, skip: String(skip), limit: String(limit) });
  for (const [name, value] of textsOf(view)) parameters.set(name, value);
  return parameters.toString();
}

function textsOf({ polymer, submitter, origin }: QueueView): [name: string, value: string][] {
  return Object.entries({ polymer, submitter, origin }).filter(([, value]) => value !== '');
}
