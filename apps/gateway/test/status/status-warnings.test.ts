import type { ServiceStatus, SystemStatus } from '@esd/api/system-status';
import { expect, test } from '@jest/globals';
import { durationText } from '@esd/pages/duration-text';
import { statusWarnings } from '../../src/status/status-warnings.ts';

const ready = { address: '10.0.0.1:1', state: 'READY' } as const;
const other = { ...ready, address: '10.0.0.2:1' };
const noEvents = { bytes: 0, consumers: [] };
const consumer = { name: 'a-consumer', subject: 'a', waiting: 0, unacknowledged: 0, deadLetters: 0 };

function warningsOf(services: ServiceStatus[], events: SystemStatus['events'] = noEvents): string[] {
  return statusWarnings({ services, events });
}

test('there are no warnings if all replicas are ready and no event waits', () => {
  const outbox = { waiting: 1, oldestSeconds: 59 };
  expect(
    warningsOf([{ name: 'a-svc', replicas: [ready, other], outbox }], {
      bytes: 1,
      consumers: [{ ...consumer, waiting: 5, oldestSeconds: 59 }],
    }),
  ).toEqual([]);
});

test('an unreachable replica is named, and a service without any reachable replica', () => {
  const away = { address: '10.0.0.3:1', state: 'AWAY' } as const;
  expect(
    warningsOf([
      { name: 'a-svc', replicas: [ready, away] },
      { name: 'b-svc', replicas: [away, away] },
      { name: 'c-svc', replicas: [] },
    ]),
  ).toEqual(['a-svc at 10.0.0.3:1 is not responding.', 'b-svc is not responding.', 'c-svc is not responding.']);
});

test('warnings of replicas come after unreachable services', () => {
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
    'c-svc is not responding.',
    'a-svc at 10.0.0.1:1 is not ready.',
    'a-svc at 10.0.0.1:1 cannot reach postgres.',
    'a-svc at 10.0.0.1:1: temporary files: 83 % of 100 GB is used.',
    'a-svc at 10.0.0.1:1 could not determine its unpublished events in time.',
    'b-svc at 10.0.0.1:1 did not return its status. Check its log.',
  ]);
});

test('the gateway does not repeat the warnings of the services', () => {
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
    'a-svc is not responding.',
    'gateway: disk: full.',
  ]);
});

test('events that wait for a minute, dead letters and missing consumers are reported', () => {
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
    'a-svc: 1 unpublished event; the oldest has waited for 1 min.',
    'Consumer a-consumer: 3 unprocessed events; the oldest has waited for 2 h.',
    'Consumer a-consumer has 2 dead letters.',
    'Consumer b-consumer does not exist yet; its events stay in the stream.',
  ]);
});

test('an unreachable event stream is reported', () => {
  expect(statusWarnings({ services: [{ name: 'a-svc', replicas: [ready] }], events: undefined })).toEqual([
    'The event stream is unreachable.',
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
