import { expect, test } from '@jest/globals';
import { durationText } from '@esd/pages/duration-text';
import type { ServiceStatus, SystemStatus } from '../../src/status/service-status.ts';
import { statusWarnings } from '../../src/status/status-warnings.ts';

const ready = { address: '10.0.0.1:1', state: 'READY' } as const;
const other = { ...ready, address: '10.0.0.2:1' };
const noEvents = { bytes: 0, consumers: [] };
const consumer = { name: 'a-consumer', subject: 'a', waiting: 0, unacknowledged: 0, deadLetters: 0 };

function warningsOf(services: ServiceStatus[], events: SystemStatus['events'] = noEvents): string[] {
  return statusWarnings({ services, events });
}

test('nothing is to be seen to where all replicas are ready and no event waits', () => {
  const outbox = { waiting: 1, oldestSeconds: 59 };
  expect(
    warningsOf([{ name: 'a-svc', replicas: [ready, other], outbox }], {
      bytes: 1,
      consumers: [{ ...consumer, waiting: 5, oldestSeconds: 59 }],
    }),
  ).toEqual([]);
});

test('a replica that is away is named, and a service of which none is left', () => {
  const away = { address: '10.0.0.3:1', state: 'AWAY' } as const;
  expect(
    warningsOf([
      { name: 'a-svc', replicas: [ready, away] },
      { name: 'b-svc', replicas: [away, away] },
      { name: 'c-svc', replicas: [] },
    ]),
  ).toEqual(['a-svc at 10.0.0.3:1 does not answer.', 'b-svc does not answer.', 'c-svc does not answer.']);
});

test('what a replica warns of comes after what is away', () => {
  const replica = {
    ...ready,
    state: 'NOT_READY',
    dependencies: { postgres: 'down', nats: 'up' },
    warnings: ['temporary files: 83 % of 100 GB is used'],
    unknown: ['outbox'],
  } as const;
  expect(
    warningsOf([
      { name: 'a-svc', replicas: [{ ...replica, warnings: [...replica.warnings], unknown: [...replica.unknown] }] },
      { name: 'b-svc', replicas: [{ ...ready, state: 'NO_STATUS' }] },
      { name: 'c-svc', replicas: [] },
    ]),
  ).toEqual([
    'c-svc does not answer.',
    'a-svc at 10.0.0.1:1 is not ready.',
    'a-svc at 10.0.0.1:1 does not reach postgres.',
    'a-svc at 10.0.0.1:1: temporary files: 83 % of 100 GB is used.',
    'a-svc at 10.0.0.1:1 could not find out its unpublished events in time.',
    'b-svc at 10.0.0.1:1 does not tell its state; see its log.',
  ]);
});

test('the gateway does not repeat what the services say themselves', () => {
  const gateway = {
    name: 'gateway',
    replicas: [
      {
        state: 'READY' as const,
        dependencies: { 'a-svc': 'down' as const },
        warnings: ['a-svc: a replica warns', 'disk: full'],
      },
    ],
  };
  expect(warningsOf([gateway, { name: 'a-svc', replicas: [] }])).toEqual([
    'a-svc does not answer.',
    'gateway: disk: full.',
  ]);
});

test('events that wait for a minute are named, with dead letters and consumers that do not exist', () => {
  const { waiting: _, unacknowledged: __, ...missing } = consumer;
  expect(
    warningsOf([{ name: 'a-svc', replicas: [ready], outbox: { waiting: 1, oldestSeconds: 60 } }], {
      bytes: 1,
      consumers: [
        { ...consumer, waiting: 2, unacknowledged: 1, oldestSeconds: 7_200, deadLetters: 2 },
        { ...missing, name: 'b-consumer' },
      ],
    }),
  ).toEqual([
    'a-svc: 1 event is not published, the oldest for 1 min.',
    'Consumer a-consumer: 3 events are not handled, the oldest for 2 h.',
    'Consumer a-consumer has 2 dead letters.',
    'Consumer b-consumer does not exist yet; its events stay in the stream.',
  ]);
});

test('an event stream that cannot be asked is named', () => {
  expect(statusWarnings({ services: [{ name: 'a-svc', replicas: [ready] }], events: undefined })).toEqual([
    'The event stream cannot be asked at present.',
  ]);
});

test.each([
  [0, 'less than 1 s'],
  [1, '1 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_599, '59 min'],
  [86_399, '23 h'],
  [86_400, '1 day'],
  [200_000, '2 days'],
])('a duration of %s s is %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
