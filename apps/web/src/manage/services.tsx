import { useSignal } from '@preact/signals';
import { durationText } from '@esd/pages/duration-text';
import { useEffect, useRef } from 'preact/hooks';
import type { ResponseAt } from '@esd/api/operations';
import { problemText } from '../client/form.ts';
import { call } from '../client/call.ts';
import { bytesText, countText, numberText, timeText } from '../format.ts';
import { Heads, ScrollTable } from '../parts/scroll-table.tsx';
import { useStaff } from '../staff/service.ts';
import { Button } from '../parts/buttons.tsx';
import { Badge } from '../parts/badge.tsx';

const REFRESH_MS = 10_000;
const DEADLINE_MS = 20_000;

/** Shows the state of the services and of their events. Refreshes it while the page is visible. */
export function Services() {
  const { request } = useStaff();
  const shown = useSignal<Status | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isReading = useSignal(false);
  const refresh = useRef<() => void>(() => undefined);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async (): Promise<void> => {
      if (isReading.value) return;
      clearTimeout(timer);
      isReading.value = true;
      try {
        const options = { signal: stop.signal, deadlineMs: DEADLINE_MS };
        shown.value = (await call(request, 'get', '/admin/status', options)).body;
        failure.value = undefined;
      } catch (error) {
        if (!stop.signal.aborted) failure.value = error;
      }
      isReading.value = false;
      if (!stop.signal.aborted && !document.hidden) timer = setTimeout(() => void poll(), REFRESH_MS);
    };
    const onVisibilityChange = (): void => {
      clearTimeout(timer);
      if (!document.hidden) void poll();
    };
    document.addEventListener('visibilitychange', onVisibilityChange, { signal: stop.signal });
    refresh.current = () => void poll();
    void poll();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [request, shown, failure, isReading]);
  const now = shown.value;
  return (
    <section class="services" aria-labelledby="services">
      <div class="row spread">
        <h2 id="services">Services</h2>
        <Button aria-disabled={isReading.value} onClick={() => refresh.current()}>
          Refresh now
        </Button>
      </div>
      {failure.value !== undefined && (
        <div class="note bad" role="alert">
          <p>{problemText(failure.value)}</p>
          {now && (
            <p class="small">
              This is the state at {timeText(new Date(now.at), '2-digit')}. It is refreshed every 10 seconds.
            </p>
          )}
        </div>
      )}
      {now === undefined && failure.value === undefined && <p class="muted">Loading…</p>}
      {now && <State of={now} />}
    </section>
  );
}

function State({ of: now }: { of: Status }) {
  return (
    <>
      <p class="small muted">
        This is the state at <time dateTime={now.at}>{timeText(new Date(now.at), '2-digit')}</time>. It is refreshed
        every 10 seconds while this page is visible.
      </p>
      <div role="status">
        <Warnings of={now.warnings} />
      </div>
      <h3 id="replicas">Replicas</h3>
      <ScrollTable labelledBy="replicas">
        <Heads of={['Service', 'Replica', 'State', 'Depends on', 'Software release', 'Uptime', 'Disk usage']} />
        {now.services.map((service) => (
          <Replicas key={service.name} of={service} now={now} />
        ))}
      </ScrollTable>
      <h3 id="databases">Databases and outboxes</h3>
      <ScrollTable labelledBy="databases" heads={['Service', { number: 'Database size' }, 'Unpublished events']}>
        {now.services
          .filter(({ name }) => name !== 'gateway')
          .map(({ name, databaseBytes, outbox }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{databaseBytes === undefined ? 'unknown' : bytesText(databaseBytes)}</td>
              <td>{outbox ? outboxText(outbox) : <span class="muted">–</span>}</td>
            </tr>
          ))}
      </ScrollTable>
      <h3 id="consumers">Event consumers</h3>
      {now.events ? (
        <>
          <ScrollTable labelledBy="consumers" heads={['Consumer', 'Pending events', { number: 'Dead letters' }]}>
            {now.events.consumers.map((consumer) => (
              <tr key={consumer.name}>
                <th scope="row">{consumer.name}</th>
                <td>{consumerText(consumer)}</td>
                <td class="number">{numberText(consumer.deadLetters)}</td>
              </tr>
            ))}
          </ScrollTable>
          <p class="small muted">The event stream uses {bytesText(now.events.bytes)}.</p>
        </>
      ) : (
        <p class="muted">The event stream is unreachable.</p>
      )}
    </>
  );
}

function Warnings({ of: warnings }: { of: readonly string[] }) {
  if (warnings.length === 0) return <p class="note ok">Everything works.</p>;
  return (
    <div class="note warn">
      <p>
        {warnings.length === 1
          ? 'This needs attention:'
          : `These ${numberText(warnings.length)} things need attention:`}
      </p>
      <ul>
        {warnings.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

function Replicas({ of: { name, replicas }, now }: { of: Service; now: Status }) {
  if (replicas.length === 0) {
    return (
      <tbody>
        <tr>
          <th scope="row">{name}</th>
          <td colSpan={6}>
            <Badge of={STATES.AWAY} /> <span class="muted">Its host name does not resolve.</span>
          </td>
        </tr>
      </tbody>
    );
  }
  return (
    <tbody>
      {replicas.map((replica, index) => (
        <tr key={replica.address}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={replicas.length}>
              {name}
            </th>
          )}
          <td>
            {replica.address ?? 'the replica that responded'}
            {replica.host !== undefined && <div class="small muted">{replica.host}</div>}
          </td>
          <td>
            <Badge of={STATES[replica.state]} />
            {replica.datasetRevision !== undefined && <div class="small muted">{revisionText(replica, now)}</div>}
          </td>
          <td>{dependenciesText(replica)}</td>
          <td>{replica.version}</td>
          <td class="nowrap">
            {replica.startedAt !== undefined &&
              durationText((Date.parse(now.at) - Date.parse(replica.startedAt)) / 1_000)}
          </td>
          <td>{replica.disks?.map((disk) => `${disk.name} ${Math.floor(disk.usedRatio * 100)}%`).join(', ')}</td>
        </tr>
      ))}
    </tbody>
  );
}

const STATES = {
  READY: ['ok', '✓', 'Ready'],
  NOT_READY: ['needs', '!', 'Not ready'],
  AWAY: ['bad', '×', 'Unreachable'],
  NO_STATUS: ['needs', '!', 'No status'],
} as const;

function revisionText({ datasetRevision = 0 }: Replica, { datasetRevision: newest = 0 }: Status): string {
  const text = `revision ${numberText(datasetRevision)}`;
  return datasetRevision < newest ? `${text} of ${numberText(newest)}` : text;
}

function dependenciesText({ dependencies }: Replica): string {
  return Object.entries(dependencies ?? {})
    .map(([name, state]) => (state === 'up' ? name : `${name} (down)`))
    .join(', ');
}

function outboxText({ waiting, oldestSeconds }: Outbox): string {
  if (waiting === 0 || oldestSeconds === undefined) return 'none';
  return `${numberText(waiting)}; the oldest has been waiting for ${durationText(oldestSeconds)}`;
}

function consumerText({ waiting, unacknowledged = 0, oldestSeconds }: Consumer): string {
  if (waiting === undefined) return 'does not exist yet';
  const events = waiting + unacknowledged;
  if (events === 0) return 'none';
  const text = countText(events, 'event');
  return oldestSeconds === undefined ? text : `${text}; the oldest has been waiting for ${durationText(oldestSeconds)}`;
}

type Status = ResponseAt<'get', '/admin/status'>;
type Service = Status['services'][number];
type Replica = Service['replicas'][number];
type Outbox = NonNullable<Service['outbox']>;
type Consumer = NonNullable<Status['events']>['consumers'][number];
