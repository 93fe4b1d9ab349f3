import { expect, test } from '@jest/globals';
import { type Publication, waitingOf } from '../../src/status/publication.ts';

const published: Publication = {
  revision: 2,
  status: 'APPROVED',
  event: { isPublished: true },
  consumer: { name: 'a-consumer', waiting: 0, deadLetters: 0 },
  logged: 2,
  datasetRevision: 7,
  replicas: [
    { instance: 'one', revision: 7 },
    { instance: 'two', revision: 8 },
  ],
};

test('a record whose newest revision is in the index of every replica waits for nothing', () => {
  expect(waitingOf(published)).toBeUndefined();
  expect(waitingOf({ ...published, status: 'REJECTED', logged: 3 })).toBeUndefined();
  expect(waitingOf({ ...published, status: 'REJECTED', event: undefined, logged: undefined })).toBeUndefined();
});

const { consumer } = published;
test.each<[string, string | undefined, Partial<Publication>]>([
  ['the decision of a moderator', undefined, { status: 'PENDING', event: undefined }],
  ['its contributor, who must add mandatory fields', undefined, { status: 'NEEDS_UPDATE', event: undefined }],
  ['NATS, which is unavailable', 'esddependencydown', { event: { isPublished: false }, consumer: undefined }],
  ['the relay of submission-svc', 'esdeventsdelayed', { event: { isPublished: false } }],
  ['dataset-svc, which does not respond', 'esdtargetdown', { replicas: [] }],
  ['NATS, which is unavailable', 'esddependencydown', { logged: 1, consumer: undefined }],
  [
    'the consumer a-consumer',
    'esdeventsdelayed',
    { logged: undefined, consumer: { name: 'a-consumer', waiting: 1, deadLetters: 1 } },
  ],
  [
    'the consumer a-consumer, which does not exist',
    'esdconsumermissing',
    { logged: 1, consumer: { name: 'a-consumer', deadLetters: 0 } },
  ],
  [
    'a redrive of the dead letters of a-consumer',
    'esddeadletters',
    { logged: 1, consumer: { name: 'a-consumer', waiting: 0, deadLetters: 1 } },
  ],
  ['its event to be published again, because the stream has lost it', 'esdeventsdelayed', { logged: 1, consumer }],
  ['the index of one, which is behind the log', 'esdindexbehind', { datasetRevision: 8 }],
  [
    'the replica two of dataset-svc, which does not respond',
    'esdtargetdown',
    {
      replicas: [
        { instance: 'one', revision: 7 },
        { instance: 'two', revision: undefined },
      ],
    },
  ],
])('a record waits for %s (%s)', (waitsFor, runbook, change) => {
  expect(waitingOf({ ...published, ...change })).toEqual({ waitsFor, runbook });
});
