import { expect, test } from '@jest/globals';
import { errorResponse, type ErrorDetails } from '../../src/http/error-body.ts';
import { ERROR_CODES, isErrorCode } from '@esd/api/error-codes';
import { ServiceError } from '../../src/errors.ts';

test.each(Object.keys(ERROR_CODES))('%s has its status, its body and the headers of that status', (code) => {
  if (!isErrorCode(code)) throw new Error(code);
  const { status, headers, body } = errorResponse(new ServiceError(code, 'why', { cause: new Error('cause') }), 'id');
  expect(status).toBe(ERROR_CODES[code].http);
  expect(body).toEqual({ success: false, message: 'why', code, requestId: 'id' });
  expect(headers['Retry-After'] !== undefined).toBe(status === 503 || status === 429);
  expect(headers['WWW-Authenticate']?.startsWith('Bearer') ?? false).toBe(status === 401);
  expect(headers['Cache-Control']).toBe('no-store');
});

test('WWW-Authenticate distinguishes an invalid token from a missing one', () => {
  const challenge = (code: 'AUTH_REQUIRED' | 'TOKEN_EXPIRED') =>
    errorResponse(new ServiceError(code, 'why'), 'id').headers['WWW-Authenticate'];
  expect(challenge('AUTH_REQUIRED')).toBe('Bearer');
  expect(challenge('TOKEN_EXPIRED')).toBe('Bearer error="invalid_token"');
});

test('the body contains the details', () => {
  const details = { errors: [{ path: 'a', code: 'B', message: 'c' }], errorCount: 7, missingFields: ['d'] };
  expect(errorResponse(new ServiceError('CONFLICT', 'why', { details }), 'id').body).toEqual({
    success: false,
    message: 'why',
    code: 'CONFLICT',
    requestId: 'id',
    ...details,
  });
});

test('a response has at most 1,000 problems and 1 MB, and the number of all problems', () => {
  const bodyWith = (details: ErrorDetails, message = 'why') =>
    errorResponse(new ServiceError('VALIDATION_FAILED', message, { details }), 'id').body;
  const problem = { path: 'a', code: 'B', message: 'c' };
  const many = bodyWith({ errors: Array.from({ length: 5_000 }, () => problem) });
  expect([many.errors?.length, many.errorCount]).toEqual([1_000, 5_000]);
  const long = '\u0001'.repeat(1_000_000);
  const lists = {
    errors: Array.from({ length: 900 }, () => ({ ...problem, path: '\u0001é😀'.repeat(100) })),
    missingFields: Array.from({ length: 100_000 }, (_, index) => `experimentData[${index}].polymerProperty`),
  };
  const large = bodyWith({ ...lists, errorCount: 900 }, long);
  expect(Buffer.byteLength(JSON.stringify(large))).toBeLessThanOrEqual(1_000_000);
  expect(large.errors?.length).toBeGreaterThan(100);
  expect(large.errorCount).toBe(900);
});
