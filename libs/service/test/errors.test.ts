import { expect, test } from '@jest/globals';
import { isErrorCode } from '@esd/api/error-codes';
import { isTransient, ServiceError, toServiceError } from '../src/errors.ts';

const withCode = (code: string, message = 'm'): Error => Object.assign(new Error(message), { code });

test.each([
  ['connection refused', withCode('ECONNREFUSED')],
  ['connection reset', withCode('ECONNRESET')],
  [
    'connection refused by both addresses of a name',
    new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
  ],
  ['PostgreSQL is shutting down', withCode('57P01')],
  ['PostgreSQL is starting', withCode('57P03')],
  ['too many connections', withCode('53300')],
  ['statement timeout', withCode('57014')],
  ['lock timeout', withCode('55P03')],
  ['deadlock', withCode('40P01')],
  ['pool cannot connect', new Error('timeout exceeded when trying to connect')],
  ['driver lost its connection', new Error('Connection terminated unexpectedly')],
  ['driver gave up waiting', new Error('Query read timeout')],
])('%s is UNAVAILABLE', (_, thrown) => {
  expect(isTransient(thrown)).toBe(true);
  expect(toServiceError(thrown)).toMatchObject({ code: 'UNAVAILABLE', cause: thrown });
});

test.each([
  ['a violated constraint', withCode('23505', 'duplicate key value violates unique constraint "x"')],
  ['a programming error', new TypeError('x is undefined')],
  ['a thrown text', 'text'],
])('%s is INTERNAL without details', (_, thrown) => {
  expect(isTransient(thrown)).toBe(false);
  const error = toServiceError(thrown);
  expect(error.code).toBe('INTERNAL');
  expect(error.message).not.toMatch(/unique|undefined|text/);
});

test('a ServiceError is unchanged', () => {
  const error = new ServiceError('CONFLICT', 'taken');
  expect(toServiceError(error)).toBe(error);
});

test('only the names of codes are error codes', () => {
  expect(isErrorCode('CONFLICT')).toBe(true);
  expect(isErrorCode('toString')).toBe(false);
  expect(isErrorCode('')).toBe(false);
});
