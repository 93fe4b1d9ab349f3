import type { RecordStatus } from './record-status.ts';

/** The way of the newest decision on a record to its readers. */
export interface Publication {
  /** The newest record revision. */
  revision: number;
  status: RecordStatus;
  /** The event that publishes or withdraws the newest revision; undefined for another revision. */
  event: { isPublished: boolean } | undefined;
  /** The consumer of the event. Undefined while the event stream is unreachable. */
  consumer: { name: string; waiting?: number | undefined; deadLetters: number } | undefined;
  /** The newest record revision in the log, and the dataset revision that contains it; undefined if unknown. */
  logged: number | undefined;
  datasetRevision: number | undefined;
  /** The replicas of dataset-svc with the dataset revision of their index, undefined for one that does not respond. */
  replicas: readonly { instance: string; revision: number | undefined }[];
}

/** The part that a record waits for, and the section of docs/operations.md that says what to do, if there is one. */
export interface Waiting {
  waitsFor: string;
  runbook: string | undefined;
}

/**
 * Returns what a record waits for, or undefined once all replicas show the newest decision. The state of the consumer must
 * be older than that of the log; otherwise, an event that is handled in between seems lost.
 */
export function waitingOf(publication: Publication): Waiting | undefined {
  const { revision, status, event, consumer, logged = 0, datasetRevision = 0, replicas } = publication;
  if (status === 'PENDING') return on('the decision of a moderator');
  if (status === 'NEEDS_UPDATE') return on('its contributor, who must add mandatory fields');
  if (!event) return undefined;
  if (!event.isPublished) return consumer ? on('the relay of submission-svc', 'esdeventsdelayed') : NO_STREAM;
  const silent = replicas.filter((replica) => replica.revision === undefined);
  if (silent.length === replicas.length) return on('dataset-svc, which does not respond', 'esdtargetdown');
  if (logged < revision) return consumer ? waitingForConsumer(consumer) : NO_STREAM;
  const behind = replicas.find((replica) => replica.revision !== undefined && replica.revision < datasetRevision);
  if (behind) return on(`the index of ${behind.instance}, which is behind the log`, 'esdindexbehind');
  const [first] = silent;
  return first && on(`the replica ${first.instance} of dataset-svc, which does not respond`, 'esdtargetdown');
}

const NO_STREAM = on('NATS, which is unavailable', 'esddependencydown');

function waitingForConsumer({ name, waiting, deadLetters }: NonNullable<Publication['consumer']>): Waiting {
  if (waiting === undefined) return on(`the consumer ${name}, which does not exist`, 'esdconsumermissing');
  if (waiting > 0) return on(`the consumer ${name}`, 'esdeventsdelayed');
  if (deadLetters > 0) return on(`a redrive of the dead letters of ${name}`, 'esddeadletters');
  return on('its event to be published again, because the stream has lost it', 'esdeventsdelayed');
}

function on(waitsFor: string, runbook?: string): Waiting {
  return { waitsFor, runbook };
}
