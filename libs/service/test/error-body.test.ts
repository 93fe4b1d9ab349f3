import { expect, test } from '@jest/globals';
import { errorAnswer } from '../src/error-body.ts';
import { ERROR_CODES, isErrorCode, ServiceError } from '../src/errors.ts';

test.each(Object.keys(ERROR_CODES))('%s has its status, its body and the headers of that status', (code) => {
  if (!isErrorCode(code)) throw new Error(code);
  const { status, headers, body } = errorAnswer(new ServiceError(code, 'why', new Error('cause')), 'id');
  expect(status).toBe(ERROR_CODES[code].http);
  expect(body).toEqual({ success: false, message: 'why', code, requestId: 'id' });
  expect(headers['Retry-After'] !== undefined).toBe(status === 503 || status === 429);
  expect(headers['WWW-Authenticate']?.startsWith('Bearer') ?? false).toBe(status === 401);
  expect(headers['Cache-Control']).toBe('no-store');
});

test('a token that was refused is told from one that is missing', () => {
  const challenge = (code: 'AUTH_REQUIRED' | 'TOKEN_EXPIRED') =>
    errorAnswer(new ServiceError(code, 'why'), 'id').headers['WWW-Authenticate'];
  expect(challenge('AUTH_REQUIRED')).toBe('Bearer');
  expect(challenge('TOKEN_EXPIRED')).toBe('Bearer error="invalid_token"');
});

test('details stand beside code and message', () => {
  const details = { errors: [{ path: 'a', code: 'B', message: 'c' }], errorCount: 7, missingFields: ['d'] };
  expect(errorAnswer(new ServiceError('CONFLICT', 'why'), 'id', details).body).toEqual({
    success: false,
    message: 'why',
    code: 'CONFLICT',
    requestId: 'id',
    ...details,
  });
});
