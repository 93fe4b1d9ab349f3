import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SERVICES } from '@esd/service/names/services';
import { statusParts, wholeStatus } from '../../src/status/status-parts.ts';

const up = Object.fromEntries(SERVICES.map((name) => [name, 'up' as const]));
const states = fc.record(
  Object.fromEntries(SERVICES.map((name) => [name, fc.constantFrom('up' as const, 'down' as const)])),
);

test('every part works while every service is up', () => {
  const parts = statusParts(up);
  expect(parts.map(({ name, status, message }) => [name, status, message])).toEqual(
    ['read', 'download', 'contribute', 'account', 'images'].map((name) => [name, 'up', undefined]),
  );
  expect(wholeStatus(parts)).toBe('up');
});

test('a service that is down affects a part, and the message is for users', () => {
  fc.assert(
    fc.property(states, (dependencies) => {
      const parts = statusParts(dependencies);
      const isAllUp = Object.values(dependencies).every((state) => state === 'up');
      expect(wholeStatus(parts) === 'up').toBe(isAllUp);
      expect(wholeStatus(parts) === 'down').toBe(dependencies['dataset-svc'] === 'down');
      for (const { status, message } of parts) {
        expect(message === undefined).toBe(status === 'up');
        if (message === undefined) continue;
        expect(message).toMatch(/^[A-Z].*\. Try again in a few minutes\.$/);
        expect(message).not.toMatch(/-svc|identity|gateway|replica|undefined/);
        for (const sentence of message.split('. ')) expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
      }
    }),
  );
});

test('a part promises nothing that another missing service prevents', () => {
  const messageOf = (name: string, ...down: string[]): string =>
    statusParts({ ...up, ...Object.fromEntries(down.map((service) => [service, 'down' as const])) }).find(
      (part) => part.name === name,
    )?.message ?? '';
  expect(messageOf('read', 'dataset-svc')).toContain('Submissions through the API still work.');
  expect(messageOf('read', 'dataset-svc', 'submission-svc')).not.toContain('still');
  expect(messageOf('contribute', 'identity-svc')).toContain('You can still submit without an account.');
  expect(messageOf('contribute', 'identity-svc', 'submission-svc')).toBe(
    'New experiments, corrections, and messages cannot be sent. The form keeps your draft in this browser. Try again in a few minutes.',
  );
});
