import { useMemo } from 'preact/hooks';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { useStaff } from '../staff/service.ts';
import { loadUnread } from '../client/unread.ts';
import { Thread } from '../parts/thread.tsx';
import { countText, dateText, numberText, rangeText, rounded } from '../format.ts';
import { actionText } from '../parts/record-actions.ts';
import { CONTRAST_STRETCHED } from '../parts/record-images.tsx';
import { materialsOf } from '../materials.ts';
import { lowerText, Strip } from '../plots/strip.tsx';
import { Failure } from '../staff/failure.tsx';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { Comparison } from './comparison.tsx';
import { type Mark, recordAnalyses, type RecordAnalyses } from './record-analyses.ts';
import type { Review } from './shapes.ts';

/** The data of a record for review. It is a separate script, which the page loads with the first record. */
export function RecordDetails({ review }: { review: Review }) {
  const { request } = useStaff();
  const analyses = useMemo(() => recordAnalyses(request), [request]);
  const { recordId, revision, record, ownerAccountId, unread } = review;
  return (
    <>
      <Comparison key={`${recordId}-${revision}`} review={review} analyses={analyses} />
      <Marks record={record} analyses={analyses} />
      <Images record={record} />
      {ownerAccountId !== undefined && <Messages recordId={recordId} unread={unread} />}
      <History review={review} />
    </>
  );
}

function Images({ record: { fiberImages = [] } }: { record: ExperimentData }) {
  const { base } = useStaff();
  if (fiberImages.length === 0) return null;
  return (
    <section class="section" aria-labelledby="images">
      <h2 id="images">Images</h2>
      <ul class="images">
        {fiberImages.map(({ imageId = '', imageType, stretched }) => (
          <li key={imageId}>
            <a href={`${base}/images/${imageId}/content`}>
              <img
                src={`${base}/images/${imageId}/content${stretched ? '?size=medium' : ''}`}
                alt={`Fibers${imageType === undefined ? '' : `: ${imageType}`}`}
                loading="lazy"
              />
            </a>
            {stretched && <p class="small muted">{CONTRAST_STRETCHED}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Messages({ recordId, unread }: { recordId: number; unread: number }) {
  const { request, base } = useStaff();
  return (
    <section class="section" aria-labelledby="messages">
      <h2 id="messages">Messages with the contributor</h2>
      <Thread
        key={recordId}
        request={request}
        recordId={recordId}
        reader="moderator"
        unread={unread}
        label="Write to the contributor"
        hint="They are notified by email. They do not see your name."
        onRead={() => void loadUnread(base).catch(() => undefined)}
      />
    </section>
  );
}

function History({ review: { history } }: { review: Review }) {
  return (
    <details class="section">
      <summary>History: {countText(history.length, 'entry', 'entries')}</summary>
      <ul class="small">
        {history.map(({ at, action, revision, reason }) => (
          <li key={at}>
            <time dateTime={at} title={at}>
              {dateText(at)}
            </time>
            : {actionText(action)} (revision {revision}){reason !== undefined && <>: “{reason}”</>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Marks({ record, analyses }: { record: ExperimentData; analyses: RecordAnalyses }) {
  const loaded = useLoadedValue(JSON.stringify(record), (signal) => analyses.marks(record, signal));
  const { polymers } = materialsOf(record);
  const { marks: lies = [], notComparable = [] } = loaded.value ?? {};
  if (loaded.error === undefined && loaded.value && lies.length + notComparable.length === 0) return null;
  return (
    <section class="section" aria-labelledby="marks" aria-busy={loaded.isLoading}>
      <h2 id="marks">Values compared with {polymers === '' ? 'the dataset' : `records of ${polymers}`}</h2>
      <Failure error={loaded.error} again={loaded.reload} />
      <ul class="marks">
        {lies.map((mark) => (
          <Lies key={mark.name} mark={mark} />
        ))}
      </ul>
      {notComparable.length > 0 && (
        <p class="small muted">Not compared, because the unit cannot be converted: {notComparable.join(', ')}.</p>
      )}
    </section>
  );
}

function Lies({ mark }: { mark: Mark }) {
  const { name, value, unit, edges, count } = mark;
  const [first = 0, last = 0] = [edges[0], edges.at(-1)];
  return (
    <li>
      <p class="row spread small">
        <span>{name}</span>
        <b>{valueText(value, unit)}</b>
      </p>
      <Strip position={mark} />
      <p class="small muted">
        {rangeText(rounded(first), rounded(last))}, n = {numberText(count)}; {standing(mark, first, last)}
      </p>
    </li>
  );
}

function standing({ value, lower, count }: Mark, first: number, last: number): string {
  if (value < first) return 'lower than all';
  if (value > last) return 'higher than all';
  return `higher than ${lowerText({ lower, count })}`;
}

// Converted values have more digits than were measured.
const DIGITS = 4;

function valueText(value: number, unit: string): string {
  const number = numberText(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
  return unit === '%' ? `${number}%` : `${number}\u202f${unit}`;
}
