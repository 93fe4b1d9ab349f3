import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { withLease } from '../../src/files/lease.ts';

const never = new AbortController().signal;
const log = pino({ level: 'silent' });

const aborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const onAbort = (): void => {
      resolve(String(signal.reason));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });

test('a lease is renewed only while the work runs', async () => {
  let renewals = 0;
  const renewed = Promise.withResolvers<undefined>();
  const renew = (): Promise<boolean> => {
    renewals += 1;
    if (renewals === 3) renewed.resolve(undefined);
    return Promise.resolve(true);
  };
  await withLease({ name: 'job', renewMs: 1, renew, signal: never, log }, () => renewed.promise);
  const atEnd = renewals;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(renewals).toBe(atEnd);
});

test('the loss of a lease aborts the work', async () => {
  const renew = (): Promise<boolean> => Promise.resolve(false);
  const reason = await withLease({ name: 'job', renewMs: 1, renew, signal: never, log }, aborted);
  expect(reason).toContain('the lease on a job was lost');
});

test('a failed renewal does not lose the lease', async () => {
  let renewals = 0;
  const tried = Promise.withResolvers<undefined>();
  const renew = (): Promise<boolean> => {
    renewals += 1;
    if (renewals === 3) tried.resolve(undefined);
    return Promise.reject(new Error('the database is unavailable'));
  };
  const isAborted = await withLease({ name: 'job', renewMs: 1, renew, signal: never, log }, async (signal) => {
    await tried.promise;
    return signal.aborted;
  });
  expect(isAborted).toBe(false);
});

test('the signal of the caller aborts the work', async () => {
  const stopping = new AbortController();
  const renew = (): Promise<boolean> => Promise.resolve(true);
  const work = withLease({ name: 'job', renewMs: 60_000, renew, signal: stopping.signal, log }, aborted);
  stopping.abort(new Error('stopped'));
  expect(await work).toBe('Error: stopped');
});
